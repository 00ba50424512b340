import sax from 'sax';
import { describeText } from '../answer.ts';

/** The two SOAP services of BIR: `common` has the operation `GetValue`, and `publ` has all others. */
const publ = { namespace: 'http://CIS/BIR/PUBL/2014/07', service: 'IUslugaBIRzewnPubl' };
const common = { namespace: 'http://CIS/BIR/2014/07', service: 'IUslugaBIR' };

export type Operation =
  | 'Zaloguj'
  | 'DaneSzukajPodmioty'
  | 'DanePobierzPelnyRaport'
  | 'DanePobierzRaportZbiorczy'
  | 'GetValue';

/** The parameters of an operation of BIR, by name; the parameters of a search are nested in one parameter. */
export type Parameters = Record<string, string | Record<string, string>>;

/** One record of an answer of BIR (an element `<dane>`): the trimmed text of each field, by the name of the field. */
export type BirRow = Record<string, string>;

/** Returns the value of a record's field, or a blank if the record lacks the field. Ignores the case of field names. */
export function fieldOf(row: BirRow | undefined, name: string): string {
  const folded = name.toLowerCase();
  const found = Object.keys(row ?? {}).find((key) => key.toLowerCase() === folded);
  return found === undefined ? '' : row![found]!.trim();
}

/** The error for a malformed answer of BIR. The message continues the words "REGON sends". */
export class UnreadableAnswer extends Error {}

/** The error for a SOAP fault that BIR sends in place of a result, with the text of the fault. */
export class SoapFault extends Error {}

/** Returns the XML of a request in SOAP 1.2 with WS-Addressing, as in the documentation of GUS. */
export function writeEnvelope(url: string, operation: Operation, parameters: Parameters): string {
  const { namespace, service } = operation === 'GetValue' ? common : publ;
  const content = Object.entries(parameters).map(([name, value]) => {
    const inner =
      typeof value === 'string'
        ? escape(value)
        : Object.entries(value)
            .map(([key, text]) => `<dat:${key}>${escape(text)}</dat:${key}>`)
            .join('');
    return `<ns:${name}>${inner}</ns:${name}>`;
  });
  return (
    `<soap:Envelope xmlns:soap="http://www.w3.org/2003/05/soap-envelope" xmlns:ns="${namespace}" xmlns:dat="${publ.namespace}/DataContract">` +
    `<soap:Header xmlns:wsa="http://www.w3.org/2005/08/addressing"><wsa:To>${escape(url)}</wsa:To>` +
    `<wsa:Action>${namespace}/${service}/${operation}</wsa:Action></soap:Header>` +
    `<soap:Body><ns:${operation}>${content.join('')}</ns:${operation}></soap:Body></soap:Envelope>`
  );
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/**
 * Returns the result in a SOAP answer, a plain text or XML, as text. The answer is a SOAP envelope, or a MIME message
 * (MTOM) with an envelope. Throws an `UnreadableAnswer`, or a `SoapFault` if BIR reports a fault.
 */
export function readEnvelope(operation: Operation, answer: string): string {
  const envelope = contentOf(answer, 'Envelope');
  if (envelope === undefined)
    throw new UnreadableAnswer(describeText(answer) ?? 'no SOAP envelope');
  const response = contentOf(envelope, `${operation}Response`);
  const fault = response === undefined ? contentOf(envelope, 'Fault') : undefined;
  if (fault !== undefined) {
    const reason = contentOf(fault, 'Text') ?? contentOf(fault, 'faultstring') ?? '';
    throw new SoapFault(unescape(reason).slice(0, 200) || 'a fault without a reason');
  }
  if (response === undefined) throw new UnreadableAnswer(`no answer to ${operation}`);
  const result = contentOf(response, `${operation}Result`)?.trim() ?? '';
  if (result.startsWith('<![CDATA[')) return result.replaceAll(/<!\[CDATA\[|\]\]>/g, '');
  if (result.includes('<')) throw new UnreadableAnswer('a result that is no text');
  return unescape(result);
}

/** Returns the content of the first XML element with a name, in any namespace; undefined without such an element. */
function contentOf(xml: string, name: string): string | undefined {
  const found = new RegExp(`<((?:[\\w.-]+:)?${name})(?:\\s[^>]*)?/?>`).exec(xml);
  if (!found) return undefined;
  const [tag, qualified] = found;
  if (tag.endsWith('/>')) return '';
  const start = found.index + tag.length;
  const end = xml.indexOf(`</${qualified}`, start);
  if (end < 0) throw new UnreadableAnswer('half an answer');
  return xml.slice(start, end);
}

/** The number of characters that `unescape` processes at a time, because copies of a long text take much memory. */
const PIECE_LENGTH = 65_536;

/** Undoes one level of XML escapes. The parser in `readRecords` decodes any further escapes. */
function unescape(text: string): string {
  let plain = '';
  for (let at = 0, end = 0; at < text.length; at = end) {
    // A piece ends before an entity, so that no entity is cut in two.
    end = Math.max(text.lastIndexOf('&', at + PIECE_LENGTH), at + 1);
    if (end === at + 1 || at + PIECE_LENGTH >= text.length) end = at + PIECE_LENGTH;
    const piece = text.slice(at, end).replaceAll('&lt;', '<').replaceAll('&gt;', '>');
    plain += piece.replaceAll('&#xD;', '\r').replaceAll('&amp;', '&');
  }
  return plain;
}

/**
 * Returns the records in `<root><dane>…</dane>…</root>`, or undefined for a blank text. Throws an `UnreadableAnswer`.
 * The parser stops at an entity that the XML itself declares, so that a small XML text cannot expand to a huge one.
 */
export function readRecords(xml: string): BirRow[] | undefined {
  if (xml.trim() === '') return undefined;
  const rows: BirRow[] = [];
  const fields = new Map<string, string>();
  const path: string[] = [];
  let value = '';
  const addText = (text: string) => void (value += text);
  const parser = Object.assign(sax.parser(true), {
    onopentag({ name }: sax.Tag) {
      path.push(name);
      value = '';
      if (path[0] !== 'root') throw new UnreadableAnswer('a result without records');
      if (path[1] === 'dane' && path.length > 3) throw new UnreadableAnswer(nested);
    },
    ontext: addText,
    oncdata: addText,
    onclosetag() {
      const [, record, field] = path;
      path.pop();
      if (record !== 'dane') return;
      if (field === undefined) {
        // `Object.fromEntries` stores even a field named `__proto__` as a property, without a change of the prototype.
        rows.push(Object.fromEntries(fields));
        fields.clear();
        return;
      }
      if (fields.has(field)) throw new UnreadableAnswer(nested);
      fields.set(field, value.trim());
    },
    onerror(cause: Error) {
      throw new UnreadableAnswer('XML that cannot be read', { cause });
    },
  });
  parser.write(xml).close();
  return rows;
}

const nested = 'a record with something inside its fields';
