/* Exports several translated documents as one ZIP file: those that were opened together, or those of the project. */
import {Dialog} from '../core/dialog.js';
import {button, count, h, icon, setText, t, tableHead, tn} from '../core/dom.js';

/**
 * Asks which documents to export.
 * @param {Pick<Bench, 'connection' | 'focusEditor' | 'root' | 'segment' | 'session'>} bench
 */
export const openPacking = async bench => {
  bench.segment.flush();
  const reply = await bench.connection.send('packable');
  if (reply.ok) new Packing(bench, reply.result.groups).open();
};

class Packing {
  /**
   * @param {Pick<Bench, 'connection' | 'focusEditor' | 'root' | 'session'>} bench
   * @param {PackableGroup[]} groups
   */
  constructor(bench, groups) {
    this.bench = bench;
    this.groups = groups;
    this.choice = h(
      'select',
      {'aria-label': t('packing.which'), onchange: () => this.paint()},
      groups.map((group, i) => h('option', {value: i}, groupName(group))),
    );
    this.about = h('p.muted');
    this.rows = h('tbody');
    this.all = h('input', {
      type: 'checkbox',
      checked: true,
      'aria-label': t('packing.all'),
      onchange: () => {
        for (const box of this.boxes()) box.checked = this.all.checked;
        this.check();
      },
    });
    this.proposals = h('input', {type: 'checkbox'});
    this.wrong = h('p.wrong.maybe', {role: 'alert'});
    this.make = button('.btn.primary', {onclick: () => this.pack()}, icon('down'), t('packing.make'));
    this.dialog = new Dialog({
      name: 'packing',
      title: t('packing.title'),
      classes: '.opening',
      body: [
        groups.length > 1 ? h('label.line', t('packing.which'), this.choice) : null,
        this.about,
        h('table', tableHead(h('th', this.all), t('documents.document'), t('documents.state')), this.rows),
        h('label.check', this.proposals, ' ', t('packing.proposals')),
        this.wrong,
      ],
      buttons: [button('.btn', {onclick: () => this.dialog.close()}, t('close')), this.make],
      onClose: () => bench.focusEditor(),
    });
  }

  open() {
    this.dialog.open(this.bench.root, this.make);
    this.paint();
  }

  /** @returns {HTMLInputElement[]} */
  boxes() {
    return /** @type {HTMLInputElement[]} */ ([...this.rows.querySelectorAll('input')]);
  }

  chosen() {
    return this.boxes()
      .filter(box => box.checked)
      .map(box => Number(box.value));
  }

  check() {
    const chosen = this.chosen();
    this.make.disabled = !chosen.length;
    this.all.checked = chosen.length === this.boxes().length;
    this.all.indeterminate = !this.all.checked && chosen.length > 0;
  }

  paint() {
    const {kind, documents} = this.groups[Number(this.choice.value) || 0];
    setText(this.about, t(`packing.about.${kind}`));
    this.rows.replaceChildren(...documents.map(row => this.row(row)));
    this.check();
  }

  /** @param {PackableDocument} row */
  row({session, path, num_confirmed, num_segments, num_locked}) {
    const box = h('input', {
      type: 'checkbox',
      checked: true,
      value: session,
      'aria-label': path,
      onchange: () => this.check(),
    });
    const state = `${count(num_confirmed)} / ${count(num_segments - num_locked)}`;
    return h('tr', h('td', box), h('td.path', path), h('td.num', state));
  }

  async pack() {
    this.make.disabled = true;
    setText(this.wrong, '');
    setText(this.about, t('packing.busy'));
    const reply = await this.bench.connection.send('pack', {
      documents: this.chosen(),
      with_proposals: this.proposals.checked,
    });
    if (!reply.ok) {
      this.paint();
      setText(this.wrong, reply.error.message);
      return;
    }
    this.report(reply.result);
  }

  /**
   * Saves the ZIP file, and lists what is not finished in it.
   * @param {PackedDocuments} result
   */
  report({key, name, documents, num_unchanged}) {
    const link = h(
      'a.btn.primary',
      {href: `download/${encodeURIComponent(this.bench.session.token)}/zip/${encodeURIComponent(key)}`, download: ''},
      icon('down'),
      t('packing.save', {name}),
    );
    const unfinished = documents.filter(row => row.note !== null);
    const note = unfinished.length ? tn('packing.unfinished', unfinished.length) : t('packing.finished');
    this.dialog.body.replaceChildren(
      h('p', {role: 'status'}, num_unchanged ? `${tn('packing.unchanged', num_unchanged)} ` : '', note),
      unfinished.length
        ? h(
            'table',
            h(
              'tbody',
              unfinished.map(row => h('tr', h('td.path', row.path), h('td', row.note))),
            ),
          )
        : '',
    );
    this.make.replaceWith(link);
    link.focus();
    link.click();
  }
}

/** @param {PackableGroup} group */
export const groupName = ({name, kind}) =>
  name || kind !== 'selection' ? t(`packing.group.${kind}`, {name}) : t('packing.group.files');
