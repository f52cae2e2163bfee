import { describe, expect, test } from 'vitest'
import { readRoles } from './csvRoles.ts'

const names = {
  roles: [
    { id: 1, names: ['Viewer', 'Betrachter'] },
    { id: 2, names: ['Operator', 'Bediener'] },
  ],
  scopes: [
    { id: 10, names: ['City', 'City'] },
    { id: 11, names: ['Town hall', 'City / Town hall'] },
    { id: 12, names: ['Cellar', 'City / Town hall / Cellar'] },
    { id: 13, names: ['Cellar', 'City / School / Cellar'] },
  ],
  accountScopeId: 10,
}
const read = (text: string) => readRoles(text, names)

describe('the roles of a row', () => {
  test('are on the scope of the account unless one is named, the first on the main scope', () => {
    expect(read(' viewer | Bediener@ town  hall | Operator @ city/school/CELLAR |').access).toEqual([
      { scopeId: 10, roleId: 1, isMain: true },
      { scopeId: 11, roleId: 2, isMain: false },
      { scopeId: 13, roleId: 2, isMain: false },
    ])
    expect(read('')).toEqual({ access: [], problem: null })
  })

  test.each([
    ['Chief', 'role', 'Chief'],
    ['@ Town hall', 'role', '@ Town hall'],
    ['Viewer @ Nowhere', 'scope', 'Nowhere'],
    ['Viewer @', 'scope', 'Viewer @'],
    ['Viewer @ Cellar', 'scopeTwice', 'Cellar'],
    ['Viewer | Betrachter @ City', 'roleTwice', 'Betrachter @ City'],
  ])('%s is not understood', (text, kind, part) => {
    expect(read(text)).toEqual({ access: [], problem: { kind, text: part } })
  })
})
