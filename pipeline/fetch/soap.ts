import { XMLParser } from 'fast-xml-parser';

const publ = 'http://CIS/BIR/PUBL/2014/07';
const contract = `${publ}/DataContract`;

/** An operation of BIR with its namespace; `GetValue` belongs to another part of the service. */
const operations = {
  Zaloguj: { namespace: publ, service: 'IUslugaBIRzewnPubl' },
  Wyloguj: { namespace: publ, service: 'IUslugaBIRzewnPubl' },
  DaneSzukajPodmioty: { namespace: publ, service: 'IUslugaBIRzewnPubl' },
  DanePobierzPelnyRaport: { namespace: publ, service: 'IUslugaBIRzewnPubl' },
  DanePobierzRaportZbiorczy: { namespace: publ, service: 'IUslugaBIRzewnPubl' },
  GetValue: { namespace: 'http://CIS/BIR/2014/07', service: 'IUslugaBIR' },
} as const;

export type Operation = keyof typeof operations;

/** The parameters of an operation; those of a search are nested one deeper. */
export type Parameters = Record<string, string | Record<string, string>>;

/** One `<dane>`: a flat record, every value a string, blank where the element is empty. */
export type BirRow = Record<string, string>;

/** The answer is not what BIR sends; the message goes behind "REGON sends". */
export class UnreadableAnswer extends Error {
  override name = 'UnreadableAnswer';
}

/** BIR's own word for what went wrong with a request. */
export class SoapFault extends Error {
  override name = 'SoapFault';
}

/** A request as BIR wants it: SOAP 1.2 with WS-Addressing, as the documentation of GUS shows it. */
export function writeEnvelope(url: string, operation: Operation, parameters: Parameters): string {
  const { namespace, service } = operations[operation];
  const content = Object.entries(parameters).map(([name, value]) => {
    const inner =
      typeof value === 'string'
        ? escape(value)
        : Object.entries(value).map(([key, text]) => `<dat:${key}>${escape(text)}</dat:${key}>`);
    return `<ns:${name}>${typeof inner === 'string' ? inner : inner.join('')}</ns:${name}>`;
  });
  return (
    `<soap:Envelope xmlns:soap="http://www.w3.org/2003/05/soap-envelope" xmlns:ns="${namespace}" xmlns:dat="${contract}">` +
    `<soap:Header xmlns:wsa="http://www.w3.org/2005/08/addressing"><wsa:To>${escape(url)}</wsa:To>` +
    `<wsa:Action>${namespace}/${service}/${operation}</wsa:Action></soap:Header>` +
    `<soap:Body><ns:${operation}>${content.join('')}</ns:${operation}></soap:Body></soap:Envelope>`
  );
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

const parser = new XMLParser({
  ignoreAttributes: true,
  removeNSPrefix: true,
  parseTagValue: false,
  // Decodes numeric references too: production writes line ends as &#xD;.
  htmlEntities: true,
});

/**
 * The result of an operation: plain text, or XML as text, blank when there is none. The envelope is
 * alone in the answer, or the only part of a MIME message (MTOM), whose frame is left out.
 *
 * Throws an `UnreadableAnswer`, or a `SoapFault`.
 */
export function readResult(answer: string, operation: Operation): string {
  const start = answer.search(/<(?:[\w.-]+:)?Envelope[\s>]/);
  const ends = /<\/(?:[\w.-]+:)?Envelope>/g.exec(answer);
  if (start < 0) throw new UnreadableAnswer('no SOAP envelope');
  if (!ends) throw new UnreadableAnswer('half an answer');
  const envelope = parse(answer.slice(start, ends.index + ends[0].length));
  const body = child(child(envelope, 'Envelope'), 'Body');
  const fault = child(body, 'Fault');
  if (fault !== undefined) throw new SoapFault(readReason(fault));
  const response = child(body, `${operation}Response`);
  if (response === undefined) throw new UnreadableAnswer(`no answer to ${operation}`);
  const result = child(response, `${operation}Result`) ?? '';
  if (typeof result !== 'string') throw new UnreadableAnswer('a result that is no text');
  return result;
}

/**
 * The records of a result, `<root><dane>…</dane>…</root>`; none for a blank result.
 * Throws an `UnreadableAnswer`, also for records that are not flat.
 */
export function readRows(result: string): BirRow[] {
  if (result.trim() === '') return [];
  const root = child(parse(result), 'root');
  if (root === undefined) throw new UnreadableAnswer('a result without records');
  if (root === '') return [];
  const found = child(root, 'dane') ?? [];
  return (Array.isArray(found) ? found : [found]).map((row: unknown) => {
    if (row === '') return {};
    if (typeof row !== 'object' || row === null) throw new UnreadableAnswer('a record of text');
    if (Object.values(row).some((value) => typeof value !== 'string')) {
      throw new UnreadableAnswer('a record with something inside its fields');
    }
    return row as BirRow;
  });
}

function parse(xml: string): unknown {
  // Nothing of BIR declares entities; who does wants them expanded.
  if (/<!(?:DOCTYPE|ENTITY)/i.test(xml.replaceAll('<![CDATA[', ''))) {
    throw new UnreadableAnswer('XML with a document type');
  }
  try {
    return parser.parse(xml, true);
  } catch (cause) {
    throw new UnreadableAnswer('XML that cannot be read', { cause });
  }
}

function child(node: unknown, name: string): unknown {
  if (typeof node !== 'object' || node === null || !Object.hasOwn(node, name)) return undefined;
  return (node as Record<string, unknown>)[name];
}

function readReason(fault: unknown): string {
  const text = child(child(fault, 'Reason'), 'Text') ?? child(fault, 'faultstring');
  return typeof text === 'string' && text !== '' ? text.slice(0, 200) : 'a fault without a reason';
}
