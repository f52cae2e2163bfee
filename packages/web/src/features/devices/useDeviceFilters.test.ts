import type { QueryClient } from '@tanstack/react-query'
import { expect, test } from 'vitest'
import { openBrowser } from '../../../test/browser.ts'
import { renderHook } from '../../../test/renderHook.ts'

openBrowser()
const { api } = await import('../../lib/api.ts')
const { useDeviceFilters } = await import('./useDeviceFilters.ts')

function fill(cache: QueryClient) {
  const { statistics, tagsZones, groups } = api.virtualdevice
  const byConnector = [{ connectorId: 7, name: 'Gateway', count: 3 }]
  cache.setQueryData(statistics.queryOptions({ input: {} }).queryKey, { byConnector } as never)
  cache.setQueryData(tagsZones.queryOptions().queryKey, { tags: ['cold'], zones: ['roof'] } as never)
  const items = [{ name: 'Hall' }, { name: 'Hall' }, { name: 'Yard' }]
  cache.setQueryData(groups.queryOptions({ input: {} }).queryKey, { items } as never)
}

const optionsOf = (filters: ReturnType<typeof useDeviceFilters>, key: string) =>
  filters.find((filter) => filter.key === key)?.options

test('every filter has a key of its own', () => {
  const keys = renderHook(useDeviceFilters).map(({ key }) => key)
  expect(new Set(keys).size).toBe(keys.length)
})

test('filters exist before their choices have loaded', () => {
  const filters = renderHook(useDeviceFilters)
  for (const key of ['connector', 'group', 'tag', 'zone']) expect(optionsOf(filters, key)).toEqual([])
})

test('connectors are chosen by id and shown by name', () => {
  expect(optionsOf(renderHook(useDeviceFilters, fill), 'connector')).toEqual([
    { value: '7', label: 'Gateway' },
  ])
})

test('a group name used in several accounts is offered once', () => {
  const groups = optionsOf(renderHook(useDeviceFilters, fill), 'group')
  expect(groups?.map(({ value }) => value)).toEqual(['Hall', 'Yard'])
})

test('tags and zones are offered as they are', () => {
  const filters = renderHook(useDeviceFilters, fill)
  expect(optionsOf(filters, 'tag')).toEqual([{ value: 'cold', label: 'cold' }])
  expect(optionsOf(filters, 'zone')).toEqual([{ value: 'roof', label: 'roof' }])
})

test('templates are no filter without the permission to read them', () => {
  expect(renderHook(useDeviceFilters).some(({ key }) => key === 'template')).toBe(false)
})
