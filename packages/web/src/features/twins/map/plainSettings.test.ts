import { mapDefaults } from '@leitstand/contract/mapSettings'
import { expect, it } from 'vitest'
import { plainSettings } from './plainSettings.ts'

it('the settings of a map of all twins are those of the contract', () => {
  expect(plainSettings).toEqual(mapDefaults)
})
