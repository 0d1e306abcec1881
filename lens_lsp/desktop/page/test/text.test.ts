import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { CheckedCitation } from '../src/protocol';
import { wordsOfFile } from '../src/text/answerFile';
import { asPlainText, withCitations } from '../src/text/copying';
import { notRead } from '../src/text/leftOut';
import { withMarks } from '../src/text/marking';
import { lineAt, placeOf, pointsBefore, unitsOf } from '../src/text/offsets';
import { kindOf, locatorAt, locatorWithin, pathAmong, placeInWords, uriBelow } from '../src/text/places';
import { recordsOf, separatorOf } from '../src/text/records';
import { lateIn, withoutRemark } from '../src/text/remarks';

describe('the path of a file among the searched folders', () => {
  const one = [{ uri: 'file:///notes/a%20b', name: 'a b' }];
  const two = [...one, { uri: 'file:///notes/c', name: 'c' }];

  it('has the name of its folder where there are several', () => {
    assert.equal(pathAmong(one, 'file:///notes/a%20b/office/x.md'), 'office/x.md');
    assert.equal(pathAmong(two, 'file:///notes/a%20b/office/x.md'), 'a b/office/x.md');
    assert.equal(pathAmong(two, '/notes/c'), 'c');
  });

  it('is unknown elsewhere', () => {
    assert.equal(pathAmong(two, '/notes/cc/x.md'), undefined);
  });

  it('is the same however a drive is written', () => {
    const drive = [{ uri: 'file:///c%3A/notes', name: 'notes' }];
    assert.equal(pathAmong(drive, 'C:\\notes\\x.md'), 'x.md');
    assert.equal(pathAmong(drive, 'file:///C:/notes/x.md'), 'x.md');
  });
});

describe('what an answer says of documents that were not read', () => {
  it('is told apart from the answer', () => {
    assert.deepEqual(withoutRemark('Not read yet: 1,293 of 3,000 documents.\n\nIt is 410. [1]'), {
      said: 'It is 410. [1]',
      unread: { unread: 1293, documents: 3000 },
    });
  });

  it('is counted in a warning that names a command line', () => {
    const told = 'documents were not read within the time: `lens read` reads them all; or name them as paths';
    assert.equal(lateIn(`1,200 ${told}`), 1200);
    assert.equal(lateIn('1 document was not read within the time: `lens read` reads it; or name it as a path'), 1);
    assert.equal(lateIn('1 .doc file was not read'), null);
  });

  it('is nothing that stands further down', () => {
    const answer = 'It says:\n\nNot read yet: 1 of 2 documents.';
    assert.deepEqual(withoutRemark(answer), { said: answer, unread: null });
  });
});

describe('the file of an answer', () => {
  it('holds the words that the page shows, and comments around them that it does not', () => {
    const lines = [
      '---',
      'lens: answer/2',
      '---',
      '',
      '<!-- lens:begin w0 {"lens":"output/1"} -->',
      '',
      '# How high is the rent?',
      '',
      'It is 410. [^q1]',
      '',
      '[^q1]: [lease.md:3](lease.md#L3) "410"',
      '',
      '<!-- lens:end w0 -->',
      '',
    ];
    assert.equal(wordsOfFile(lines.join('\n')), 'It is 410. [1]');
  });
});

describe('offsets', () => {
  it('turns code points into UTF-16 units and back', () => {
    const text = 'a😀b😀c';
    assert.deepEqual(unitsOf(text, [0, 1, 2, 3, 5]), [0, 1, 3, 4, 7]);
    assert.equal(pointsBefore(text, 4), 3);
    assert.deepEqual(unitsOf('ab', [9]), [2]);
  });

  it('finds a quote at its span, else where it stands once', () => {
    assert.deepEqual(placeOf('😀 one two', [2, 5], 'one'), { start: 3, end: 6 });
    assert.deepEqual(placeOf('moved: one two', [2, 5], 'one'), { start: 7, end: 10 });
    assert.equal(placeOf('one and one', [90, 93], 'one'), undefined);
    assert.equal(placeOf('nothing', [0, 3], 'one'), undefined);
  });

  it('counts lines from 1', () => {
    assert.deepEqual(
      [0, 1, 2, 5].map((at) => lineAt('a\nb\n\nc', at)),
      [1, 1, 2, 4],
    );
  });
});

describe('marks in Markdown', () => {
  const marked = (text: string, quote: string) => {
    const start = text.indexOf(quote);
    return withMarks(text, { start, end: start + quote.length })
      ?.replace('\u2cfa', '«')
      .replace('\u2cfb', '»');
  };

  it('stand around the passage, past the markup that begins its line', () => {
    assert.equal(marked('a quick fox', 'quick'), 'a «quick» fox');
    assert.equal(marked('## Title\ntext', '## Title'), '## «Title»\ntext');
    assert.equal(marked('- [ ] do it', '- [ ] do it'), '- [ ] «do it»');
    assert.equal(marked('> 1. deep', '> 1. deep'), '> 1. «deep»');
    assert.equal(marked('| a | b |', '| a | b |'), '| «a | b» |');
    assert.equal(marked('```sh\nls\n```', '```sh\nls'), '```sh\n«ls»\n```');
  });

  it('are left out where the note holds them itself, or nothing is left', () => {
    assert.equal(marked('a \u2cfa b', 'b'), undefined);
    assert.equal(marked('# \ntext', '# '), undefined);
  });
});

describe('places', () => {
  it('are said as people say them', () => {
    assert.equal(placeInWords('a.pdf', { page: 12 }, 3), 'p. 12');
    assert.equal(placeInWords('a.xlsx', { sheet: 'Costs', cell: 'B7' }, 3), 'Costs!B7');
    assert.equal(placeInWords('a.pdf', { page: 3, by: 'ocr', confidence: 71 }, 7), 'p. 3 (OCR, 71 % sure)');
    assert.equal(placeInWords('a.pdf', { page: 3, by: 'ocr', confidence: 97 }, 7), 'p. 3 (OCR)');
    assert.equal(placeInWords('a.eml', { message: 1, attachment: 'b.csv row 3' }, 7), 'message 1, b.csv row 3');
    assert.equal(placeInWords('a.md', null, 7), 'line 7');
    assert.equal(placeInWords('a.docx', null, 7), '');
    assert.equal(placeInWords('a.md', null, null), '');
  });

  it('know how a document is shown', () => {
    assert.deepEqual(['a.md', 'b.CSV', 'c.pdf', 'd.py', 'e.svg', 'f.html'].map(kindOf), [
      'markdown',
      'table',
      'pdf',
      'text',
      'text',
      'text',
    ]);
  });

  it('find the locator that holds, and name files as URIs', () => {
    const locators = [1, 2].map((page) => ({ start: page * 10, locator: { page } }));
    assert.deepEqual(
      [5, 10, 25].map((at) => locatorAt(locators, at)?.page),
      [undefined, 1, 2],
    );
    assert.deepEqual(locatorWithin(locators, 12, 30, { page: 2 }), { page: 2 });
    assert.deepEqual(locatorWithin(locators, 12, 20, { page: 2 }), { page: 1 });
    assert.equal(uriBelow('file:///notes/', 'a b/ü#1.md'), 'file:///notes/a%20b/%C3%BC%231.md');
  });
});

describe('tables', () => {
  it('know their cells and where each stands', () => {
    const text = 'name,town\n"Bell, A.","Old ""Bo"""\nplain,x\n';
    const rows = recordsOf(text, separatorOf('a.csv', text), 10);
    assert.deepEqual(
      rows.map(({ cells }) => cells.map((cell) => cell.text)),
      [
        ['name', 'town'],
        ['Bell, A.', 'Old "Bo"'],
        ['plain', 'x'],
      ],
    );
    assert.deepEqual(
      rows.map(({ cells }) => text.slice(cells[1]?.start, cells[1]?.end)),
      ['town', '"Old ""Bo"""', 'x'],
    );
  });

  it('count lines in quoted cells, and end where they are told to', () => {
    const rows = recordsOf('a,b\n"two\nlines",c\nlast,d', ',', 9);
    assert.deepEqual(
      rows.map(({ line }) => line),
      [1, 2, 4],
    );
    assert.equal(recordsOf('a\nb\nc', ',', 2).length, 2);
  });

  it('are separated by what the suffix or the first line says', () => {
    assert.deepEqual(
      [separatorOf('a.tsv', 'x'), separatorOf('a.csv', 'a;b;c\n1,2'), separatorOf('a.csv', 'a,b')],
      ['\t', ';', ','],
    );
  });
});

describe('a copied answer', () => {
  const passage = {
    n: 1,
    uri: 'file:///notes/lease.md',
    path: 'lease.md',
    span: [0, 4] as const,
    quote: 'ends <b>2031</b>\n![x](http://x)',
    line: 5,
    heading: [],
    locator: null,
    cited: true,
  };

  it('carries a footnote for each passage it cites', () => {
    const copied = withCitations({ question: 'End?', answer: 'In 2031. [1] [7]', passages: [passage] });
    assert.match(
      copied,
      /^<!-- lens:begin (w[0-9a-f]{8}) \{"lens":"output\/1"\} -->\n\n\*\*End\?\*\*\n\nIn 2031\. \[\^1\] \[7\]\n\n\[\^1\]: \[lease\.md:5\]\(<file:\/\/\/notes\/lease\.md#L5>\): “/,
    );
  });

  it('is plain text for a mail, without remarks and marks', () => {
    const answer = 'Not read yet: 1 of 2 documents.\n\n> It ends in **2031**. [1]\n\n*Judged by a reader.*\n';
    const scan = { ...passage, n: 2, path: 'scan.pdf', locator: { page: 12 }, cited: false };
    assert.equal(
      asPlainText({ question: 'End?', answer, passages: [passage, scan] }),
      `End?\n\nIt ends in 2031. [1]\n\n[1] lease.md:5: “${passage.quote}”\n`,
    );
  });

  it('says the page of a PDF, and of an answer that was kept the line that the look at its source found', () => {
    const checked = { now: { start: { line: 9, column: 1 } } } as unknown as CheckedCitation;
    const scan = { ...passage, n: 2, uri: 'file:///notes/scan.pdf', path: 'scan.pdf', line: null };
    const copied = withCitations({
      question: 'End?',
      answer: 'In 2031. [1] [2] [3]',
      passages: [
        { ...passage, line: null, checked },
        { ...scan, locator: { page: 12 } },
        { ...scan, n: 3, line: 40 },
      ],
    });
    const notes = [...copied.matchAll(/^\[\^\d\]: (\[.*?>\))/gm)].map(([, link]) => link);
    assert.deepEqual(notes, [
      '[lease.md:9](<file:///notes/lease.md#L9>)',
      '[scan.pdf, page 12](<file:///notes/scan.pdf#page=12>)',
      '[scan.pdf](<file:///notes/scan.pdf>)',
    ]);
  });

  it('ends in the mark that it begins with, and takes no mark of a note for a citation', () => {
    const copied = withCitations({ question: 'End?', answer: 'Rolling. \\[1]_ [1]', passages: [passage] });
    const name = /^<!-- lens:begin (\w+) /.exec(copied)?.[1] ?? '';
    assert.ok(copied.endsWith(`\n\n<!-- lens:end ${name} -->\n`));
    assert.match(copied, /Rolling\. \\\[1\]_ \[\^1\]/);
  });

  it('holds no HTML, image or link of a note or a model', () => {
    const copied = withCitations({
      question: '<i>?',
      answer: '<img src=x> ![a](http://b) [c](d)',
      passages: [passage],
    });
    const live = copied
      .replace(/^<!--.*-->$/gm, '')
      .replace(/\\[\s\S]/g, '')
      .replace(/\(<file:[^>]*>\)/g, '');
    assert.doesNotMatch(live, /<[a-z/]|!\[|\]\(|:\/\//);
  });
});

describe('files that a question left out', () => {
  const skipped = (path: string, reason: string, root = 0) => ({ path, reason, root, size: 0 });

  it('are named with their reason, by name and without those that are left out on purpose', () => {
    const coverage = {
      skipped: [skipped('scan.pdf', 'no-text'), skipped('.env', 'denied'), skipped('b.pdf', 'broken')],
    };
    assert.deepEqual(notRead(coverage, ['/papers'], []), [
      { place: 'b.pdf', reason: 'broken' },
      { place: 'scan.pdf', reason: 'no-text' },
    ]);
  });

  it('are named with their folder where there are several', () => {
    const coverage = { skipped: [skipped('./', 'permission', 1), skipped('b.pdf', 'broken')] };
    const places = notRead(coverage, ['/docs', '/papers'], []).map(({ place }) => place);
    assert.deepEqual(places, ['/docs/b.pdf', '/papers']);
  });

  it('are named below the searched folders, whatever part of them was asked', () => {
    const coverage = { skipped: [skipped('./', 'permission', 1), skipped('b.pdf', 'broken')] };
    const places = notRead(
      coverage,
      ['/notes/a b/office', '/notes/a b/plays'],
      [{ uri: 'file:///notes/a%20b', name: 'a b' }],
    ).map(({ place }) => place);
    assert.deepEqual(places, ['office/b.pdf', 'plays']);
  });
});
