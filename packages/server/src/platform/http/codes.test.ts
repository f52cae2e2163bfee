import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { errorCatalogue } from '@leitstand/contract/errors'
import { expect, test } from 'vitest'

/** Codes that are never returned, with the reason. */
const silent: Readonly<Record<string, string>> = {
  AUTH_USER_NOT_FOUND: 'an unknown name is answered like a wrong password, or it would tell who is there',
}

const root = join(import.meta.dirname, '../../../../..')

test('each code of the catalogue has a test that names it', () => {
  const files = globSync(['packages/server/src/**/*.test.ts', 'e2e/*.test.ts'], { cwd: root })
  const text = files
    .filter((file) => !file.endsWith('platform/http/codes.test.ts'))
    .map((file) => readFileSync(join(root, file), 'utf8'))
    .join('\n')
  const named = new Set(text.match(/\b[0-9A-Z]+(_[0-9A-Z]+)*\b/g))
  expect(Object.keys(errorCatalogue).filter((code) => !named.has(code))).toEqual(Object.keys(silent))
})
