import { describe, expect, it } from 'vitest'
import { partitionsText } from './values.ts'

describe('partitions of a node', () => {
  it('are counted, and none is a dash', () => {
    expect(partitionsText([1, 5, 63])).toBe('3\u202f/\u202f64')
    expect(partitionsText([])).toBe('–')
  })
})
