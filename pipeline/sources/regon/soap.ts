import sax from 'sax';
import { describeText, UnusableAnswer } from '../answer.ts';

/** The two services of BIR: `publ`, and `common`, which has `GetValue` only. */
const publ = { namespace: 'http://CIS/BIR/PUBL/2014/07', service: 'IUslugaBIRzewnPubl' };
const common = { namespace: 'http://CIS/BIR/2014/07', service: 'IUslugaBIR' };

export type Operation =
  | 'Zaloguj'
  | 'DaneSzukajPodmioty'
  | 'DanePobierzPelnyRaport'
  | 'DanePobierzRaportZbiorczy'
  | 'GetValue';

/** The parameters of an operation; a search nests its parameters one level deeper. */
export type Parameters = Record<string, string | Record<string, string>>;

/** One `<dane>` element: a flat record of trimmed strings, blank for an empty element. */
export type BirRow = Record<string, string>;

/**
 * Returns the value of a field, blank for an absent one. Ignores the case of names, which differs between versions.
 */
export function fieldOf(row: BirRow | undefined, name: string): string {
  const folded = name.toLowerCase();
  const found = Object.keys(row ?? {}).find((key) => key.toLowerCase() === folded);
  return found === undefined ? '' : row![found]!.trim();
}

/** The error that BIR reports about a request, in BIR's own words. */
export class SoapFault extends UnusableAnswer {}

/** Returns a request in SOAP 1.2 with WS-Addressing, as the documentation of GUS shows it. */
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
 * Returns the text of a result: plain text, or XML as text. The envelope is the whole answer, or the only part of a
 * MIME message (MTOM). Throws an `UnusableAnswer` or a `SoapFault`.
 */
export function readEnvelope(operation: Operation, answer: string): string {
  const start = answer.search(/<(?:[\w.-]+:)?Envelope[\s>]/);
  if (start < 0) throw new UnusableAnswer(describeText(answer) ?? 'no SOAP envelope');
  const texts = new Map<string, string>();
  parse(answer.slice(start, answer.lastIndexOf('>') + 1), 'half an answer', {
    open(path) {
      if (localName(path.at(-2)) === `${operation}Result`) {
        throw new UnusableAnswer('a result that is no text');
      }
    },
    close(path, text) {
      const name = localName(path.at(-1));
      if (!texts.has(name)) texts.set(name, text);
    },
  });
  if (texts.has(`${operation}Response`)) return texts.get(`${operation}Result`)?.trim() ?? '';
  if (!texts.has('Fault')) throw new UnusableAnswer(`no answer to ${operation}`);
  const reason = texts.get('Text') ?? texts.get('faultstring') ?? '';
  throw new SoapFault(`a fault of BIR: ${reason.slice(0, 200) || 'without a reason'}`);
}

/**
 * Reads records, `<root><dane>…</dane>…</root>`; returns undefined for a blank text. Throws an `UnusableAnswer`.
 */
export function readRecords(xml: string): BirRow[] | undefined {
  if (xml.trim() === '') return undefined;
  const rows: BirRow[] = [];
  const fields = new Map<string, string>();
  parse(xml, 'XML that cannot be read', {
    open(path) {
      if (path[0] !== 'root') throw new UnusableAnswer('a result without records');
      if (path[1] === 'dane' && path.length > 3) throw new UnusableAnswer(nested);
    },
    close([, record, field], text) {
      if (record !== 'dane') return;
      if (field === undefined) {
        // `Object.fromEntries` defines a field of any name: `__proto__` sets no prototype.
        rows.push(Object.fromEntries(fields));
        fields.clear();
        return;
      }
      if (fields.has(field)) throw new UnusableAnswer(nested);
      fields.set(field, text.trim());
    },
  });
  return rows;
}

/** Returns the name of an element without its prefix. */
function localName(tag = ''): string {
  return tag.replace(/^.*:/, '');
}

const nested = 'a record with something inside its fields';

type Path = readonly string[];

/**
 * Parses XML. Calls `open` with the path of each element from the root, and `close` also with the text of the
 * element. The parser expands no declared entity: it stops at each one. Throws an `UnusableAnswer` that begins with
 * `fault`.
 */
function parse(
  xml: string,
  fault: string,
  { open, close }: { open: (path: Path) => void; close: (path: Path, text: string) => void },
): void {
  const path: string[] = [];
  let text = '';
  const addText = (part: string) => void (text += part);
  const parser = Object.assign(sax.parser(true), {
    onopentag({ name }: sax.Tag) {
      path.push(name);
      text = '';
      open(path);
    },
    ontext: addText,
    oncdata: addText,
    onclosetag() {
      close(path, text);
      path.pop();
    },
    onerror({ message }: Error) {
      // The parser adds lines that state the position.
      throw new UnusableAnswer(`${fault}: ${message.split('\n', 1)[0]}`);
    },
  });
  parser.write(xml).close();
}
