import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isExtracted, isPdf } from '../../src/documents/kinds';
import { located, pageOf } from '../../src/documents/locator';

test('a place in a document is told as a person says it', () => {
  assert.equal(located('report.pdf', { page: 12 }), 'report.pdf p. 12');
  assert.equal(located('budget.xlsx', { sheet: 'Sheet1', cell: 'B7' }), 'budget.xlsx Sheet1!B7');
  assert.equal(located('budget.xlsx', { sheet: 'Sheet1' }), 'budget.xlsx Sheet1');
  assert.equal(located('deck.pptx', { slide: 4 }), 'deck.pptx slide 4');
  assert.equal(located('book.epub', { chapter: 3 }), 'book.epub ch. 3');
  assert.equal(located('mail.eml', { message: 1, date: '2024-03-01' }), 'mail.eml 2024-03-01');
  assert.equal(located('mail.mbox', { message: 2 }), 'mail.mbox message 2');
  assert.equal(located('sums.ipynb', { cell: 2 }), 'sums.ipynb cell 2');
  assert.equal(located('scan.pdf', { page: 3, by: 'ocr' }), 'scan.pdf p. 3 (OCR)');
  assert.equal(located('scan.pdf', { page: 3, by: 'ocr', confidence: 97 }), 'scan.pdf p. 3 (OCR)');
  assert.equal(located('scan.pdf', { page: 3, by: 'ocr', confidence: 71 }), 'scan.pdf p. 3 (OCR, 71 % sure)');
  const inMail = { message: 1, date: '2024-03-01', attachment: 'list.pdf p. 2' };
  assert.equal(located('mail.eml', inMail), 'mail.eml 2024-03-01, list.pdf p. 2');
  assert.equal(located('report.pdf', { attachment: 'list.txt' }), 'report.pdf list.txt');
  assert.equal(located('letter.docx', {}), 'letter.docx');
  assert.equal(located('letter.docx', null), 'letter.docx');
});

test('a page is a number from 1', () => {
  assert.equal(pageOf({ page: 3 }), 3);
  for (const page of [0, -1, 1.5, '3', undefined]) {
    assert.equal(pageOf({ page }), undefined);
  }
  assert.equal(pageOf(null), undefined);
});

test('documents are known by their names', () => {
  for (const name of ['a.pdf', 'A.PDF', 'a.docx', 'a.b.xlsx', 'a.ipynb', 'file:///f/a.eml']) {
    assert.ok(isExtracted(name), name);
  }
  for (const name of ['a.md', 'pdf', 'a.pdf.txt', 'a.html']) {
    assert.ok(!isExtracted(name), name);
  }
  assert.ok(isPdf('/f/A.Pdf') && !isPdf('/f/a.docx'));
});
