import i18next from 'i18next'
import { beforeAll, expect, test } from 'vitest'
import de from '../../../locales/de.json' with { type: 'json' }
import { sentences } from './changes.ts'

beforeAll(() =>
  i18next.init({ lng: 'de', resources: { de: { translation: de } }, interpolation: { escapeValue: false } }),
)

const none = { added: [], removed: [], changed: [] }
const changes = (change: object = {}) => ({
  script: false,
  variables: none,
  health: none,
  downlinks: none,
  golden: 0,
  ...change,
})

test.each([
  ['nothing', {}, []],
  ['the script', { script: true }, [de.drivers.library.change.script]],
  ['new variables', { variables: { ...none, added: ['co2', 'größe'] } }, ['Neue Variablen: co2, größe']],
  ['one golden packet', { golden: 1 }, ['1 Prüfpaket kommt dazu.']],
  ['golden packets', { golden: 12 }, ['12 Prüfpakete kommen dazu.']],
  ['downlinks', { downlinks: { ...none, removed: ['<Reset>'] } }, ['Entfernte Downlinks: <Reset>']],
  [
    'everything, the script first and what is added before what is gone',
    {
      golden: 2,
      script: true,
      health: { added: ['low'], removed: ['old'], changed: ['hot'] },
      variables: { ...none, changed: ['t'] },
    },
    [
      de.drivers.library.change.script,
      'Variablen mit geändertem Titel oder geänderter Einheit: t',
      'Neue Zustandseinträge: low',
      'Entfernte Zustandseinträge: old',
      'Geänderte Zustandseinträge: hot',
      '2 Prüfpakete kommen dazu.',
    ],
  ],
])('%s', (_name, change, lines) => {
  expect(sentences(changes(change), i18next.t)).toEqual(lines)
})
