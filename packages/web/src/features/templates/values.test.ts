import { expect, it } from 'vitest'
import { faultySection } from './values.ts'

it.each([
  [{ 'health.entries.0.identifier': 'x', rules: 'x' }, 'health'],
  [{ driverId: 'x' }, 'driver'],
  [{ 'properties.0.key': 'x', connectorId: 'x' }, 'meta'],
])('leads to the first section with a fault: %j', (faults, section) => {
  expect(faultySection(faults)).toBe(section)
})
