import type { SnapshotWords } from './snapshot-dictionary.ts';
import type { SnapshotEntry } from './snapshot-entry.ts';

/** Returns the attributes of an entry, each with a label for its type and value, in the order of the dictionary. */
export function viewAttributes(entry: SnapshotEntry, dictionary: SnapshotWords) {
  const { attributeTypes, attributeValues, lang } = dictionary;
  const { country_code, attributes: stated } = entry;
  return attributeTypes.flatMap(({ attribute_type: type, column_name, part_of, ...about }) => {
    if (about.country_code !== country_code) return [];
    const find = (code: string) => attributeValues.get(`${country_code} ${type} ${code}`);
    const whole = stated?.[part_of ?? ''] ?? '';
    const stored = column_name
      ? entry[column_name]
      : (stated?.[type] ??
        (stated && about.usual_value) ??
        [2, 3].map((length) => whole.slice(0, length)).find(find));
    // An attribute that is a statistic is stored as value and year (`12 2024`).
    const [, value, year] = /^(.+?)(?: (\d{4}))?$/.exec(stored ?? '') ?? [];
    if (!value) return [];
    const [words, name] =
      lang === 'en' ? [about.label_en, find(value)?.name_en] : [about.label, undefined];
    const label = `${[words, year].filter(Boolean).join(' ')}: ${name ?? find(value)?.name ?? value}`;
    return { type, label, value, ...(year && { year }) };
  });
}
