import { fileURLToPath } from 'node:url'

/** A Node that reads TypeScript: this one, or the one that the npm package `node` brings along. */
export function nodeWithTypes(): string {
  if (process.features.typescript) return process.execPath
  return fileURLToPath(new URL('../../../node_modules/.bin/node', import.meta.url))
}
