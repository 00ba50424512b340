import sax from 'sax';
import { describeText } from '../answer.ts';

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

/** The error of an answer that BIR would not send; its message continues the sentence "REGON sends …". */
export class UnreadableAnswer extends Error {}

/** The error that BIR reports about a request, in BIR's own words. */
export class SoapFault extends Error {}

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

/** A reader of a text that arrives in pieces. */
export interface TextReader<T> {
  /** Reads the next piece of the text. Throws an `UnreadableAnswer`. */
  write: (text: string) => void;
  /** Returns the result at the end of the text. Throws an `UnreadableAnswer` or a `SoapFault`. */
  end: () => T;
}

/** The most characters of a MIME message before its envelope. */
const HEAD_LENGTH = 65_536;

/** The number of characters parsed at once: the parser takes thirty times their memory for an escaped text. */
const PIECE_LENGTH = 4096;

/**
 * Returns a reader of an answer that passes on the text of the result: plain text, or XML as text. The envelope
 * is the whole answer, or the only part of a MIME message (MTOM).
 */
export function readEnvelope<T>(operation: Operation, result: TextReader<T>): TextReader<T> {
  const responsePath = `Envelope/Body/${operation}Response`;
  const resultPath = `${responsePath}/${operation}Result`;
  let head: string | undefined = '';
  let hasResponse = false;
  let isOver = false;
  let fault: string | undefined;
  const parser = createParser({
    onOpen(path) {
      const here = joinLocalNames(path);
      if (here === responsePath) hasResponse = true;
      if (here === 'Envelope/Body/Fault') fault = '';
      if (here.startsWith(`${resultPath}/`)) throw new UnreadableAnswer('a result that is no text');
    },
    onText(text, path) {
      const here = joinLocalNames(path);
      if (here === resultPath) result.write(text);
      if (/^Envelope\/Body\/Fault\/(?:Reason\/Text|faultstring)$/.test(here)) fault += text;
    },
    onClose: (path) => void (isOver = path.length === 1),
    // The end of a MIME message may follow the envelope, and is ignored.
    isOver: () => isOver,
  });
  return {
    write(text) {
      let content = text;
      if (head !== undefined) {
        head += text;
        const start = head.search(/<(?:[\w.-]+:)?Envelope[\s>]/);
        if (start < 0 && head.length > HEAD_LENGTH) throw new UnreadableAnswer('no SOAP envelope');
        if (start < 0) return;
        content = head.slice(start);
        head = undefined;
      }
      for (let at = 0; at < content.length; at += PIECE_LENGTH) {
        if (isOver) return;
        parser.write(content.slice(at, at + PIECE_LENGTH)).flush();
      }
    },
    end() {
      if (head !== undefined) throw new UnreadableAnswer(describeText(head) ?? 'no SOAP envelope');
      if (!isOver) throw new UnreadableAnswer('half an answer');
      if (fault !== undefined) {
        throw new SoapFault(fault.slice(0, 200) || 'a fault without a reason');
      }
      if (!hasResponse) throw new UnreadableAnswer(`no answer to ${operation}`);
      return result.end();
    },
  };
}

/** Joins the names of a path without prefixes; nothing of interest lies deeper than five names. */
function joinLocalNames(path: readonly string[]): string {
  const names = path.slice(0, 6);
  return names.map((name) => name.slice(name.indexOf(':') + 1)).join('/');
}

const nested = 'a record with something inside its fields';

/** Returns a reader of records, `<root><dane>…</dane>…</root>`; a blank text gives undefined. */
export function collectRecords(): TextReader<BirRow[] | undefined> {
  const rows: BirRow[] = [];
  const fields = new Map<string, string>();
  let value = '';
  let isBlank = true;
  const parser = createParser({
    onOpen(path) {
      isBlank = false;
      value = '';
      if (path[0] !== 'root') throw new UnreadableAnswer('a result without records');
      if (path[1] === 'dane' && path.length > 3) throw new UnreadableAnswer(nested);
    },
    onText: (text) => void (value += text),
    onClose([, record, field]) {
      if (record === 'dane' && field !== undefined) {
        if (fields.has(field)) throw new UnreadableAnswer(nested);
        fields.set(field, value.trim());
      } else if (record === 'dane') {
        // `Object.fromEntries` defines a field of any name: `__proto__` sets no prototype.
        rows.push(Object.fromEntries(fields));
        fields.clear();
      }
      value = '';
    },
  });
  return {
    write: (text) => void parser.write(text),
    end() {
      parser.close();
      return isBlank ? undefined : rows;
    },
  };
}

export function collectText(): TextReader<string> {
  let kept = '';
  return { write: (text) => void (kept += text), end: () => kept };
}

/**
 * Returns a parser for a handler. A path has the names of the open elements, the outermost first. The parser expands
 * no declared entity: it stops at each one.
 */
function createParser(handler: {
  onOpen(path: readonly string[]): void;
  onText(text: string, path: readonly string[]): void;
  onClose(path: readonly string[]): void;
  /** Returns whether the document has ended; errors after its end are ignored. */
  isOver?(): boolean;
}): sax.SAXParser {
  const path: string[] = [];
  const onText = (text: string) => handler.onText(text, path);
  return Object.assign(sax.parser(true), {
    onopentag({ name }: sax.Tag) {
      path.push(name);
      handler.onOpen(path);
    },
    ontext: onText,
    oncdata: onText,
    onclosetag() {
      handler.onClose(path);
      path.pop();
    },
    onerror(cause: Error) {
      if (!handler.isOver?.()) throw new UnreadableAnswer('XML that cannot be read', { cause });
    },
  });
}
