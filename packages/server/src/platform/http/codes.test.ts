import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { errorCatalogue } from '@leitstand/contract/errors'
import { expect, test } from 'vitest'

/** Codes of signing in, accounts, people, rights and mail servers. */
const ours =
  /^(2FA|ABAC|API|APPLICATION|AUTH|EXCHANGE|INTEGRATION|INVALID_REDIRECT|MAIL|MAX_USER|MODULE|OAUTH2|OIDC|OUTGOING|RESET|SESSION|SSO|TENANT|USER)_/

/** Those nobody is ever answered, with the reason. */
const silent: Readonly<Record<string, string>> = {
  AUTH_USER_NOT_FOUND: 'an unknown name is answered like a wrong password, or it would tell who is there',
}

const root = join(import.meta.dirname, '../../../../..')

test('each code of signing in, accounts and rights has a test that names it', () => {
  const files = globSync(['packages/server/src/**/*.test.ts', 'e2e/*.test.ts'], { cwd: root })
  const text = files
    .filter((file) => !file.endsWith('platform/http/codes.test.ts'))
    .map((file) => readFileSync(join(root, file), 'utf8'))
    .join('\n')
  const codes = Object.keys(errorCatalogue).filter((code) => ours.test(code))
  expect(codes.length).toBeGreaterThan(70)
  expect(codes.filter((code) => !new RegExp(`\\b${code}\\b`).test(text))).toEqual(Object.keys(silent))
})
