/** A request that a sample makes. */
export interface Call {
  method: string;
  url: string;
  /** The variable of the environment that holds the token. */
  token: string | undefined;
  body: object | undefined;
  isJson: boolean;
}

/** A sample; `id` names its language in the page and in the browser's memory. */
export interface Sample {
  id: string;
  language: string;
  text: string;
}

const json = 'application/json';

function writeCurl({ method, url, token, body }: Call): string {
  const isDefault = method === (body ? 'POST' : 'GET');
  const quoted = JSON.stringify(body)?.replaceAll("'", String.raw`'\''`);
  return [
    `curl${isDefault ? '' : ` -X ${method}`} "${url}"`,
    token && `-H "Authorization: Bearer $${token}"`,
    body && `-H "Content-Type: ${json}"`,
    body && `-d '${quoted}'`,
  ]
    .filter(Boolean)
    .join(' \\\n  ');
}

/** A value as lines of a literal, indented as an argument; names need no quotes in JavaScript. */
function writeLiteral(value: object, isQuoted: boolean): string {
  const text = JSON.stringify(value, null, isQuoted ? 4 : 2).replaceAll(
    '\n',
    isQuoted ? '\n    ' : '\n  ',
  );
  return isQuoted ? text : text.replaceAll(/^(\s*)"(\w+)":/gm, '$1$2:');
}

function writeTypeScript({ method, url, token, body, isJson }: Call): string {
  const headers = [
    token && `    Authorization: \`Bearer \${process.env.${token}}\`,`,
    body && `    "Content-Type": "${json}",`,
  ].filter(Boolean);
  const options = [
    method !== 'GET' && `  method: "${method}",`,
    headers.length > 0 && `  headers: {\n${headers.join('\n')}\n  },`,
    body && `  body: JSON.stringify(${writeLiteral(body, false)}),`,
  ].filter(Boolean);
  const init = options.length > 0 ? `, {\n${options.join('\n')}\n}` : '';
  return `const response = await fetch("${url}"${init});
if (!response.ok) throw new Error(\`\${response.status} \${await response.text()}\`);
console.log(${isJson ? 'JSON.stringify(await response.json(), null, 2)' : 'await response.text()'});`;
}

function writePython({ method, url, token, body, isJson }: Call): string {
  const imports = [(body || isJson) && 'import json', token && 'import os'].filter(Boolean);
  const headers = [
    token && `"Authorization": f"Bearer {os.environ['${token}']}",`,
    body && `"Content-Type": "${json}",`,
  ].filter(Boolean);
  const options = [
    method !== 'GET' && `method="${method}",`,
    headers.length > 0 && `headers={\n        ${headers.join('\n        ')}\n    },`,
    body && `data=json.dumps(${writeLiteral(body, true)}).encode(),`,
  ].filter(Boolean);
  const literal = options
    .join('\n    ')
    .replaceAll(/: (true|false|null)(?=,?$)/gm, (_, word: string) =>
      word === 'null' ? ': None' : `: ${word[0]!.toUpperCase()}${word.slice(1)}`,
    );
  const request =
    options.length > 0 ? `Request(\n    "${url}",\n    ${literal}\n)` : `Request("${url}")`;
  const answer = isJson
    ? 'print(json.dumps(json.load(response), indent=2))'
    : 'print(response.read().decode())';
  return `${[...imports, 'from urllib.request import Request, urlopen'].join('\n')}

request = ${request}
with urlopen(request) as response:
    ${answer}`;
}

/** Writes a request in each language; the samples of Python need no other package. */
export function writeSamples(call: Call): Sample[] {
  return [
    { id: 'curl', language: 'curl', text: writeCurl(call) },
    { id: 'typescript', language: 'TypeScript', text: writeTypeScript(call) },
    { id: 'python', language: 'Python', text: writePython(call) },
  ];
}
