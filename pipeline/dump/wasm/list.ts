// AssemblyScript: the list of lines that the functions of lines.ts and rows.ts fill, with 24 bytes for each line.

export const LINE_FEED: u8 = 10;
export const RETURN: u8 = 13;
export const QUOTE: u8 = 34;

/** The number of line feeds between the start of the chunk and the current line. */
export let feeds: u32 = 0;
/** The address at which the list of lines ends. */
export let listed: usize = 0;

/** Adds a line to the list: four 32-bit numbers and a fingerprint. */
export function note(first: u32, start: usize, end: usize, before: u32, print: u64): void {
  store<u32>(listed, first);
  store<u32>(listed, <u32>start, 4);
  store<u32>(listed, <u32>end, 8);
  store<u32>(listed, before, 12);
  store<u64>(listed, print, 16);
  listed += 24;
}
