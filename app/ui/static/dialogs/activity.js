/* The dialog that shows who did what when, in the documents of the projects that the person manages. */
import {Dialog} from '../core/dialog.js';
import {button, count, h, icon, t, tableHead} from '../core/dom.js';
import {dayAndTime} from '../core/texts.js';

const KINDS = ['document', 'text', 'confirmation', 'review', 'comment', 'constraint', 'term', 'project', 'export'];
const ALL = 'all';
const IS_OWNER = 'owner'; // the owner has no name; names of people begin with "="

/**
 * The name of a person; the owner of the server has none.
 * @param {string} name
 */
const shownName = name => name || t('people.owner');

/**
 * Details of an event: the export, or the change of the project or of its members.
 * @param {ActivityRow} row
 */
const detailOf = ({kind, detail}) => {
  if (kind !== 'project') return detail;
  const [change, ...names] = detail.split(' ');
  return [t(`activity.change.${change}`), ...names].join(' ');
};

/**
 * Shows the activity in all projects that the person manages.
 * @param {Pick<Bench, 'connection' | 'focusEditor' | 'root' | 'segment' | 'session'>} bench
 */
export const openActivity = async bench => {
  bench.segment.flush();
  const reply = await bench.connection.send('activity', {});
  if (reply.ok) new ActivityDialog(bench, reply.result).dialog.open(bench.root);
};

class ActivityDialog {
  /**
   * @param {Pick<Bench, 'connection' | 'focusEditor' | 'root' | 'session'>} bench
   * @param {ActivityList} activity
   */
  constructor(bench, activity) {
    this.bench = bench;
    /** @param {string} name @param {[string, string][]} options */
    const choice = (name, options) =>
      h(
        'select',
        {'aria-label': t(`activity.${name}`), onchange: () => this.show()},
        options.map(([value, label]) => h('option', {value}, label)),
      );
    this.person = choice('person', [
      [ALL, t('activity.all_people')],
      ...activity.people.map(name => /** @type {[string, string]} */ ([name ? `=${name}` : IS_OWNER, shownName(name)])),
    ]);
    this.document = choice('document', [
      [ALL, t('activity.all_documents')],
      ...activity.documents.map(one => /** @type {[string, string]} */ ([String(one.session), one.name])),
    ]);
    this.kind = choice('kind', [
      [ALL, t('activity.all_kinds')],
      ...KINDS.map(kind => /** @type {[string, string]} */ ([kind, t(`activity.kind.${kind}`)])),
    ]);
    this.rows = h('tbody');
    this.more = button('.btn', {onclick: () => this.showMore()}, t('activity.more'));
    this.csv = h('a.btn', {download: ''}, icon('down'), t('activity.csv'));
    const usageUrl = `download/${encodeURIComponent(bench.session.token)}/usage`;
    const usage = h('a.btn', {download: '', href: usageUrl, title: t('activity.usage.detail')}, t('activity.usage'));
    /** @type {ActivityRow | undefined} */
    this.last = undefined;
    const heads = ['when', 'person', 'document', 'segment', 'what'];
    this.dialog = new Dialog({
      name: 'activity',
      title: t('activity.title'),
      classes: '.wide.gloss.projects',
      body: [
        h('p.muted', t('activity.lead')),
        h('div.gtools', this.person, this.document, this.kind),
        h('table.documents', tableHead(...heads.map(name => t(`activity.${name}`))), this.rows),
        this.more,
      ],
      buttons: [
        this.csv,
        usage,
        h('span.grow'),
        button('.btn.primary', {onclick: () => this.dialog.close()}, t('close')),
      ],
      onClose: () => bench.focusEditor(),
    });
    this.adopt(activity, true);
  }

  /** The chosen filter, in the form that the server expects. */
  filter() {
    const {person, document: chosen, kind} = this;
    return {
      ...(person.value === ALL ? {} : {person: person.value === IS_OWNER ? '' : person.value.slice(1)}),
      ...(chosen.value === ALL ? {} : {session: Number(chosen.value)}),
      ...(kind.value === ALL ? {} : {kind: kind.value}),
    };
  }

  async show() {
    const reply = await this.bench.connection.send('activity', this.filter());
    if (reply.ok) this.adopt(reply.result, true);
  }

  async showMore() {
    const {last} = this;
    if (!last) return;
    const before = [last.wall_ms, last.session, last.seq];
    const reply = await this.bench.connection.send('activity', {...this.filter(), before});
    if (reply.ok) this.adopt(reply.result, false);
  }

  /**
   * Shows events instead of the others, or below them.
   * @param {ActivityList} activity
   * @param {boolean} isNew
   */
  adopt({rows, is_more: isMore}, isNew) {
    if (isNew) this.rows.replaceChildren();
    this.rows.append(
      ...rows.map(row =>
        h(
          'tr',
          h('td.num', dayAndTime(row.wall_ms)),
          h('td', shownName(row.person)),
          h('td', row.document),
          h('td.num', row.segment === null ? '' : count(row.segment)),
          h('td', [t(`event.${row.type}`), detailOf(row)].filter(Boolean).join(': ')),
        ),
      ),
    );
    if (isNew && !rows.length) this.rows.append(h('tr', h('td.muted', {colspan: 5}, t('activity.none'))));
    this.last = rows.at(-1) ?? this.last;
    this.more.hidden = !isMore;
    const query = new URLSearchParams(Object.entries(this.filter()).map(([name, value]) => [name, String(value)]));
    this.csv.setAttribute('href', `download/${encodeURIComponent(this.bench.session.token)}/activity?${query}`);
  }
}
