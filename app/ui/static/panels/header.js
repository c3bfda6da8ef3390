/* The top of the window: document, progress, glossary, opening and exporting. */
import {button, count, h, icon, setText, sr, t, tn} from '../core/dom.js';
import {choice, group, menu} from '../core/menu.js';
import {readStored, writeStored} from '../core/storage.js';
import {shortStyle} from '../core/style_names.js';
import {currentLanguage, dayAndTime, LANGUAGES} from '../core/texts.js';
import {openAnalysis} from '../dialogs/analysis.js';
import {openAssignment} from '../dialogs/assign.js';
import {languageNames} from '../dialogs/direction.js';
import {openDocuments} from '../dialogs/documents.js';
import {openLocking} from '../dialogs/lock.js';
import {comingText, showModels} from '../dialogs/models.js';
import {openPacking} from '../dialogs/packing.js';
import {projectName} from '../dialogs/project_form.js';
import {showReading} from '../dialogs/reading.js';
import {rangesOf, shownSegments} from '../dialogs/segment_range.js';
import {openStyle} from '../dialogs/style.js';

const THEME_KEY = 'pinpoint:theme';
const LANGUAGE_PAIR = /^[a-z]{2,3}-[a-z]{2,3}$/;
const MAX_RANGES = 5000; // characters of the numbers of segments in an address

/**
 * @param {string} iconName
 * @param {string} label
 * @param {Child} detail
 * @param {string} kind
 * @param {(kind: string) => string} url
 */
const download = (iconName, label, detail, kind, url) =>
  h(
    'a.item',
    {role: 'menuitem', href: url(kind), download: '', 'data-kind': kind},
    icon(iconName),
    h('b', label),
    h('span.d', detail),
  );

/** @param {HTMLElement} root */
const toggleTheme = root => {
  const theme = getComputedStyle(root).colorScheme === 'dark' ? 'light' : 'dark';
  root.dataset.theme = theme;
  writeStored('local', THEME_KEY, theme);
};

export class Header {
  /**
   * @param {Bench} bench
   * @param {HTMLElement} host
   */
  constructor(bench, host) {
    this.bench = bench;
    const theme = readStored('local', THEME_KEY);
    if (theme) bench.root.dataset.theme = theme;
    this.name = h('div.name', {dir: 'auto'});
    this.project = button('.proj', {
      'aria-haspopup': 'dialog',
      title: t('header.project'),
      onclick: () => openDocuments(bench, 'projects'),
    });
    this.direction = h('span.dir');
    this.style = h('span.sty');
    this.languages = button(
      '.langs',
      {'aria-haspopup': 'dialog', title: t('style.change'), onclick: () => openStyle(bench)},
      this.direction,
      this.style,
    );
    this.model = button('.model', {'aria-haspopup': 'dialog', onclick: () => showModels(bench)});
    this.words = h('span');
    this.segments = h('span');
    this.locked = h('span.lockednum');
    this.bar = h('i');
    this.glossaryName = h('span.gn');
    this.personName = h('span.person');
    this.person = menu(t('person.menu'), button('.btn', {}, this.personName), () => [
      choice('lock', t('person.account'), t('person.account.detail'), () => bench.showAccount()),
      choice('x', t('person.sign_out'), t('person.sign_out.detail'), () => bench.signOut()),
    ]);
    this.person.hidden = true;
    this.newsMark = h('i.newsmark', {'aria-hidden': 'true', hidden: true});
    this.openButton = button(
      '.btn.openbtn',
      {title: t('open.menu')},
      icon('open'),
      h('span.t', t('open.menu')),
      this.newsMark,
    );
    this.glossaryCount = h('span.n.num');
    /** @param {string} kind */
    const url = kind => `download/${encodeURIComponent(bench.session.token)}/${kind}`;
    /** @param {string} kind @param {Record<string, string>} [fields] */
    const inLanguage = (kind, fields) =>
      `${url(kind)}?${new URLSearchParams({language: currentLanguage(), ...fields})}`;
    host.append(
      h('div.brand', icon('pinlogo'), h('span', 'Pinpoint')),
      bench.pages.nav,
      h(
        'div.docinfo',
        this.name,
        h(
          'div.sub',
          this.project,
          this.languages,
          h(
            'span.local',
            {title: `${t('header.local')}: ${t('header.local.title')}`},
            icon('local', true),
            h('span.t', t('header.local')),
          ),
          this.model,
        ),
      ),
      h(
        'div.prog',
        h('div.nums.num', this.words, h('span', this.segments, ' ', this.locked)),
        h('div.bar', {'aria-hidden': 'true'}, this.bar),
      ),
      h(
        'div.headend',
        menu(t('open.menu'), this.openButton, () => [
          group(
            t('open.group'),
            choice('up', t('open.file'), t('open.file.detail'), () => bench.files.choose('document')),
            choice('open', t('open.folder'), t('open.folder.detail'), () => bench.files.choose('folder')),
            choice('list', t('open.sample'), null, () => bench.switchTo('open_sample')),
            choice('open', t('documents.menu'), t('documents.menu.detail'), () => openDocuments(bench)),
            choice(
              'list',
              t(bench.joined.isOn ? 'joined.back' : 'joined.menu'),
              t(bench.joined.isOn ? 'joined.back.detail' : 'joined.menu.detail'),
              () => bench.joined.toggle(),
            ),
          ),
          ...(bench.offers.length ? [group(t('open.group.earlier'), ...this.#earlier())] : []),
          group(
            t('open.group.this'),
            choice('list', t('analysis.menu'), t('analysis.menu.detail'), () => openAnalysis(bench)),
            ...(bench.document.can_be_reread || bench.document.has_segments_choice
              ? [choice('list', t('reading.menu'), t('reading.menu.detail'), () => showReading(bench))]
              : []),
            ...(bench.document.project.may_assign
              ? [choice('list', t('assign.menu'), t('assign.menu.detail'), () => openAssignment(bench))]
              : []),
            ...(bench.document.project.may_lock
              ? [choice('locked', t('lock.menu'), t('lock.menu.detail'), () => openLocking(bench))]
              : []),
          ),
        ]),
        menu(
          t('glossary.menu'),
          button('.btn.gchip', {title: t('glossary.menu')}, icon('book'), this.glossaryName, this.glossaryCount),
          () => [
            choice('up', t('glossary.upload'), t('glossary.upload.detail'), () => bench.files.choose('glossary')),
            choice('list', t('glossary.sample'), null, () => bench.files.importSampleGlossary()),
            choice('book', t('glossaries.menu'), t('glossaries.menu.detail'), () => bench.pages.go('glossaries')),
          ],
        ),
        menu(t('export.menu'), button('.btn', {title: t('export.menu')}, icon('down'), t('export.menu')), () => [
          group(
            t('export.group.document'),
            download('down', t('export.document'), this.#untranslated(), 'document', url),
            download('down', t('export.proposals'), t('export.proposals.detail'), 'document-with-proposals', url),
            ...(bench.document.has_comment_choice
              ? [download('down', t('export.comments'), t('export.comments.detail'), 'document-with-comments', url)]
              : []),
            choice('down', t('packing.menu'), t('packing.menu.detail'), () => openPacking(bench)),
            download('list', t('export.xliff'), t('export.xliff.detail'), 'segments.xlf', url),
          ),
          group(
            t('export.group.review'),
            download('down', t('export.review'), t('export.review.detail'), 'review.docx', inLanguage),
            download('down', t('export.review.open'), t('export.review.open.detail'), 'review-open.docx', inLanguage),
            ...this.#shownForReview(inLanguage),
            choice('up', t('review.import'), t('review.import.detail'), () => bench.files.choose('review')),
          ),
          group(
            t('export.group.memory'),
            download('memory', t('export.tmx'), t('export.tmx.detail'), 'memory.tmx', url),
            download('memory', t('export.all_memory'), t('export.all_memory.detail'), 'all-memory.tmx', url),
            download('memory', t('export.all_memory.xlsx'), t('export.all_memory.xlsx.detail'), 'all-memory.xlsx', url),
            download('memory', t('export.all_memory.csv'), t('export.all_memory.csv.detail'), 'all-memory.csv', url),
            choice('book', t('export.glossary'), t('export.glossary.detail'), () => bench.pages.go('glossaries')),
            download('book', t('export.tbx'), t('export.tbx.detail'), 'terms.tbx', url),
          ),
          group(
            t('export.group.session'),
            download('list', t('export.xlsx'), t('export.xlsx.detail'), 'report.xlsx', url),
            download('list', t('export.csv'), t('export.csv.detail'), 'log.csv', url),
            download('list', t('export.jsonl'), t('export.jsonl.detail'), 'log.jsonl', url),
            download('list', t('export.translog'), t('export.translog.detail'), 'translog.xml', url),
            download('list', t('export.tprdb'), t('export.tprdb.detail'), 'tprdb.zip', url),
          ),
        ]),
        menu(
          t('language'),
          button(
            '.btn.langbtn',
            {'aria-label': `${t('language')}: ${LANGUAGES[currentLanguage()]}`, title: t('language')},
            currentLanguage().toUpperCase(),
          ),
          () =>
            Object.entries(LANGUAGES).map(([name, label]) =>
              button(
                '.item',
                {
                  role: 'menuitemradio',
                  'aria-checked': String(name === currentLanguage()),
                  lang: name,
                  onclick: () => bench.switchLanguage(name),
                },
                name === currentLanguage() ? icon('check') : h('span'),
                h('b', label),
              ),
            ),
        ),
        this.person,
        button(
          '.btn.iconly',
          {'aria-label': t('theme'), title: t('theme'), onclick: () => toggleTheme(bench.root)},
          icon('theme'),
        ),
      ),
    );
    host.querySelector('.headend')?.addEventListener('click', event => {
      if (/** @type {HTMLElement} */ (event.target).closest('.item')) bench.focusEditor();
      const link = event.target.closest('a[download]');
      if (link instanceof HTMLAnchorElement) bench.files.beforeDownload(event, link);
    });
  }

  /** The documents that were used last. */
  #earlier() {
    return this.bench.offers.slice(0, 6).map(offer =>
      choice(
        'redo',
        offer.name,
        t('open.earlier', {
          confirmed: offer.num_confirmed,
          total: offer.num_segments - offer.num_locked,
          when: dayAndTime(offer.last_ms),
        }),
        () => this.bench.switchTo('resume_session', {session: offer.session}),
      ),
    );
  }

  /** How much of the document has no translation of a person yet: a file without proposals keeps its source there. */
  #untranslated() {
    const {order, rows} = this.bench;
    const open = order.filter(index => !rows[index].is_locked);
    const n = open.filter(index => ['new', 'pretranslated'].includes(rows[index].state)).length;
    if (!n) return t('export.document.detail');
    return h('span.warn', icon('problem', true), ' ', tn('export.untranslated', n, {total: count(open.length)}));
  }

  /**
   * The table for review of the segments that the filter shows; nothing if it shows all or none.
   * @param {(kind: string, fields?: Record<string, string>) => string} url
   */
  #shownForReview(url) {
    const {bench} = this;
    const shown = shownSegments(bench);
    if (!shown.length || shown.length === bench.order.length) return [];
    const segments = rangesOf(shown.map(index => bench.numberOf(index)));
    if (segments.length > MAX_RANGES)
      return [choice('down', t('export.review.shown'), t('export.review.shown.too_many'), null)];
    const link = (/** @type {string} */ kind) => url(kind, {segments});
    const detail = tn('export.review.shown.detail', shown.length);
    return [download('down', t('export.review.shown'), detail, 'review.docx', link)];
  }

  /**
   * Shows who signed in, where people have keys of their own.
   * @param {string} name
   */
  showPerson(name) {
    this.person.hidden = !name;
    setText(this.personName, name);
    this.personName.title = t('person.title', {name});
  }

  /**
   * Marks the menu of documents if one is new to the person.
   * @param {boolean} isAny
   */
  showNews(isAny) {
    this.newsMark.hidden = !isAny;
    this.openButton.title = t(isAny ? 'news.title' : 'open.menu');
  }

  /** @param {SuccessReply} options */
  update({document: doc, model, counts, words, glossary}) {
    const [start, end] = /^(.+)(\P{M}.{13})$/su.exec(doc.name)?.slice(1) ?? [doc.name, ''];
    this.name.replaceChildren(h('span', start), h('span', end)); // a long name is cut before its end
    this.name.title = [doc.name, ...doc.notes].join('\n');
    setText(this.project, projectName(doc.project));
    this.project.setAttribute('aria-label', t('header.project.label', {name: projectName(doc.project)}));
    const direction = doc.direction.toUpperCase().replace('-', ' \u2192 ');
    setText(this.direction, direction);
    const style = shortStyle(model.style);
    setText(this.style, style.map(name => ` \u00b7 ${name}`).join(''));
    this.languages.setAttribute('aria-label', `${[direction, ...style].join(', ')}: ${t('style.change')}`);
    const between = model.pivot ? [t('header.through', {language: languageNames()(model.pivot)})] : [];
    const own = LANGUAGE_PAIR.test(model.name) ? t('header.model') : model.name; // the pair is beside it
    const name = [...between, own].join(' · ');
    const isOnItsWay = model.next || model.fetched !== null;
    setText(this.model, isOnItsWay ? comingText(model) : model.state === 'ready' ? name : t(`model.${model.state}`));
    this.model.title = model.message || t('model.show', {name: model.name});
    this.model.classList.toggle('bad', model.state === 'failed');
    const {unit} = doc;
    /**
     * @param {number} done
     * @param {number} total
     * @param {string} name
     */
    const pair = (done, total, name) => [h('b', count(done)), ` / ${count(total)}`, h('span.unit', ` ${name}`)];
    this.words.replaceChildren(...pair(words.confirmed, words.all, tn(`header.${unit}`, words.all)));
    this.segments.replaceChildren(
      ...pair(counts.confirmed, counts.all - counts.locked, t('header.segments')),
      sr(` ${t('header.confirmed')}`),
    );
    const locked = counts.locked ? tn('header.locked', counts.locked) : '';
    setText(this.locked, locked && `+ ${count(counts.locked)}`);
    this.locked.title = locked;
    if (locked) this.locked.append(sr(` ${locked}`));
    this.bar.style.inlineSize = `${words.all ? (100 * words.confirmed) / words.all : 0}%`;
    setText(
      this.glossaryName,
      !glossary
        ? t('glossary.none')
        : glossary.num_glossaries > 1
          ? t('glossaries.several', {n: count(glossary.num_glossaries)})
          : glossary.name,
    );
    setText(this.glossaryCount, glossary ? tn('glossary.terms', glossary.num_terms) : '');
  }
}
