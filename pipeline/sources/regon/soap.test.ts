import { describe, expect, test } from 'vitest';
import { envelopeOf } from '../../../fixtures/dump/regon-stage.ts';
import { readEnvelope, readRecords, SoapFault, UnreadableAnswer, writeEnvelope } from './soap.ts';

const url = 'http://127.0.0.1/UslugaBIRzewnPubl.svc';

function answer(result: string): string {
  return (
    '<s:Envelope xmlns:s="http://www.w3.org/2003/05/soap-envelope"><s:Body>' +
    '<DanePobierzPelnyRaportResponse xmlns="http://CIS/BIR/PUBL/2014/07">' +
    `${result}</DanePobierzPelnyRaportResponse></s:Body></s:Envelope>`
  );
}

/** Returns the records of a SOAP answer whose result is the given XML. */
function rows(xml: string, wrapping: 'cdata' | 'escaped' = 'escaped') {
  return readRecords(readEnvelope('DanePobierzPelnyRaport', envelopeOf(xml, wrapping))) ?? [];
}

const root = `<root>
  <dane>
    <praw_regon9>012345675</praw_regon9>
    <praw_nazwa>"ŻÓŁW &amp; SYN" &lt;S.C.&gt; &amp;amp; &amp;lt;</praw_nazwa>
    <praw_adSiedzKodPocztowy>02672</praw_adSiedzKodPocztowy>
    <praw_adSiedzNumerNieruchomosci>29/31     </praw_adSiedzNumerNieruchomosci>
    <praw_statusNip />
  </dane>
</root>`;
const record = {
  praw_regon9: '012345675',
  praw_nazwa: '"ŻÓŁW & SYN" <S.C.> &amp; &lt;',
  praw_adSiedzKodPocztowy: '02672',
  praw_adSiedzNumerNieruchomosci: '29/31',
  praw_statusNip: '',
};

describe('readRecords', () => {
  test('reads both wrappings alike, every value as the text it is', () => {
    expect(rows(root)).toEqual([record]);
    expect(rows(root, 'cdata')).toEqual([record]);
  });

  test('a list of any length', () => {
    const count = 20_000;
    const list = Array.from({ length: count }, (_, at) => `<dane><regon>${at}</regon></dane>`);
    const read = rows(`<root>${list.join('\n')}</root>`);
    expect(read).toHaveLength(count);
    expect(read.at(-1)).toEqual({ regon: String(count - 1) });
  });

  test('a field has any name', () => {
    const [row] = rows('<root><dane><__proto__>1</__proto__></dane></root>');
    expect(Object.entries(row!)).toEqual([['__proto__', '1']]);
    expect(Object.getPrototypeOf(row)).toBe(Object.prototype);
  });

  test.each([
    ['', []],
    ['<root/>', []],
    ['<root></root>', []],
    ['<root><dane /></root>', [{}]],
  ])('nothing: %s', (xml, expected) => {
    expect(rows(xml)).toEqual(expected);
  });

  test.each([
    ['half a record', '<root><dane><a>1</a>', 'XML that cannot be read'],
    ['a page', '<html><body><br></body></html>', 'a result without records'],
    ['something else', '<dane><a>1</a></dane>', 'a result without records'],
    ['text', 'Service unavailable', 'XML that cannot be read'],
    ['depth', '<root><dane><a><b>1</b></a></dane></root>', 'a record with something inside'],
    ['a repeated field', '<root><dane><a>1</a><a>2</a></dane></root>', 'a record with something'],
    [
      'entities that multiply',
      '<!DOCTYPE r [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]><root><dane><a>&b;</a></dane></root>',
      'XML that cannot be read',
    ],
    [
      'an external entity',
      '<!DOCTYPE r [<!ENTITY a SYSTEM "file:///etc/passwd">]><root><dane><a>&a;</a></dane></root>',
      'XML that cannot be read',
    ],
  ])('is no answer: %s', (_, xml, message) => {
    expect(() => rows(xml)).toThrow(UnreadableAnswer);
    expect(() => rows(xml)).toThrow(message);
    expect(() => rows(xml, 'cdata')).toThrow(message);
  });
});

describe('readEnvelope', () => {
  test('finds the envelope in its MIME message', () => {
    const part = answer('<DanePobierzPelnyRaportResult>text</DanePobierzPelnyRaportResult>');
    const message = `--uuid:1+id=1\r\nContent-ID: <http://tempuri.org/0>\r\n\r\n${part}\r\n--uuid:1+id=1--`;
    expect(readEnvelope('DanePobierzPelnyRaport', message)).toBe('text');
  });

  test('blank: an empty element, or one that is not there', () => {
    const empty = answer('<DanePobierzPelnyRaportResult/>');
    expect(readEnvelope('DanePobierzPelnyRaport', empty)).toBe('');
    expect(readEnvelope('DanePobierzPelnyRaport', answer(''))).toBe('');
  });

  test('a fault with its reason', () => {
    const fault =
      '<s:Envelope xmlns:s="http://www.w3.org/2003/05/soap-envelope"><s:Body><s:Fault><s:Code><s:Value>s:Receiver</s:Value></s:Code>' +
      '<s:Reason><s:Text xml:lang="pl-PL">Błąd wewnętrzny</s:Text></s:Reason></s:Fault></s:Body></s:Envelope>';
    expect(() => readEnvelope('Zaloguj', fault)).toThrow(SoapFault);
    expect(() => readEnvelope('Zaloguj', fault)).toThrow('Błąd wewnętrzny');
  });

  test.each([
    ['a page', '<!DOCTYPE html><html><body></body></html>', 'a page of HTML'],
    ['something else', '{"result":1}', 'no SOAP envelope'],
    ['something long', 'x'.repeat(100_000), 'no SOAP envelope'],
    [
      'elements',
      answer('')
        .replace('></Dane', '><ZalogujResult><a/></ZalogujResult></Dane')
        .replaceAll('DanePobierzPelnyRaport', 'Zaloguj'),
      'a result that is no text',
    ],
    ['half of it', answer('<DanePobierzPelny').slice(0, 150), 'half an answer'],
    ['the answer to something else', answer(''), 'no answer to Zaloguj'],
  ])('is no answer: %s', (_, text, message) => {
    expect(() => readEnvelope('Zaloguj', text)).toThrow(UnreadableAnswer);
    expect(() => readEnvelope('Zaloguj', text)).toThrow(message);
  });
});

describe('writeEnvelope', () => {
  test('names the operation twice, and lets no value out of its element', () => {
    const written = writeEnvelope(url, 'DanePobierzPelnyRaport', {
      pRegon: '</ns:pRegon>&<x/>',
      pNazwaRaportu: 'BIR12OsPrawna',
    });
    expect(written).toContain(
      '<wsa:Action>http://CIS/BIR/PUBL/2014/07/IUslugaBIRzewnPubl/DanePobierzPelnyRaport</wsa:Action>',
    );
    expect(written).toContain(
      '<ns:DanePobierzPelnyRaport><ns:pRegon>&lt;/ns:pRegon&gt;&amp;&lt;x/&gt;</ns:pRegon><ns:pNazwaRaportu>BIR12OsPrawna</ns:pNazwaRaportu></ns:DanePobierzPelnyRaport>',
    );
  });

  test('the other namespace of GetValue', () => {
    const written = writeEnvelope(url, 'GetValue', { pNazwaParametru: 'StatusSesji' });
    expect(written).toContain('xmlns:ns="http://CIS/BIR/2014/07"');
    expect(written).toContain('http://CIS/BIR/2014/07/IUslugaBIR/GetValue');
  });
});
