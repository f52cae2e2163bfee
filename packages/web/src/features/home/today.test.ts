import { describe, expect, it } from 'vitest'
import { changesOf } from './today.ts'

const entry = (action: string, objectTitle: string, minute = 0, userName = 'Ada', subject = 'State') => ({
  at: `2026-11-23T08:0${minute}:00Z`,
  subject,
  action,
  objectTitle,
  userName,
})

describe('what changed today', () => {
  it('counts the entries of one kind and names the latest things', () => {
    const entries = ['E', 'D', 'D', 'C', 'B'].map((title, index) => entry('create', title, 5 - index))
    expect(changesOf(entries)).toEqual([
      {
        subject: 'State',
        action: 'create',
        count: 5,
        at: '2026-11-23T08:05:00Z',
        titles: ['E', 'D', 'C'],
        users: ['Ada'],
      },
    ])
  })
  it('tells actions and kinds of things apart, and names everybody', () => {
    const changes = changesOf([
      entry('update', 'A', 3, 'Grace'),
      entry('create', 'B', 2),
      entry('update', 'C', 1),
      entry('update', 'D', 0, 'Ada', 'Rule'),
    ])
    expect(changes.map(({ subject, action, count }) => `${subject} ${action} ${count}`)).toEqual([
      'State update 2',
      'State create 1',
      'Rule update 1',
    ])
    expect(changes[0]?.users).toEqual(['Grace', 'Ada'])
  })
  it('leaves out visits and entries without a title or a person', () => {
    expect(changesOf([entry('login', 'Ada'), entry('logout', 'Ada')])).toEqual([])
    expect(changesOf([entry('delete', '', 1, '')])).toMatchObject([{ titles: [], users: [], count: 1 }])
  })
  it('names six at most', () => {
    expect(changesOf(['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((action) => entry(action, 'X')))).toHaveLength(6)
  })
})
