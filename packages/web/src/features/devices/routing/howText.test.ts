import i18next from 'i18next'
import { beforeAll, expect, test } from 'vitest'
import de from '../../../locales/de.json' with { type: 'json' }
import { howText } from './howText.ts'
import type { DataRoute } from './routes.ts'

beforeAll(() => i18next.init({ lng: 'de', resources: { de: { translation: de } } }))

test.each([
  [1, 'latest', de.devices.routing.asItIs],
  [1, 'avg', de.devices.routing.asItIs],
  [2, 'avg', `${de.series.methods.avg} aus 2 Datenpunkten`],
  [1200, 'sum', `${de.series.methods.sum} aus 1.200 Datenpunkten`],
] as const)('%d sources by %s', (sourceCount, method, text) => {
  expect(howText({ sourceCount, method } as DataRoute, i18next.t)).toBe(text)
})
