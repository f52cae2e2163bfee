import { jobKinds, jobTypes } from '@leitstand/contract/jobs/kinds'
import { expect, it } from 'vitest'
import de from '../../locales/de.json' with { type: 'json' }
import en from '../../locales/en.json' with { type: 'json' }
import { jobTabs, kindsOf } from './kinds.ts'

it.each(jobTypes)('%s has texts for itself and its results, in both languages', (type) => {
  for (const { jobs } of [de, en]) {
    expect(jobs.type[type]).not.toBe('')
    for (const key of jobKinds[type].results) expect(jobs.result[key]).not.toBe('')
  }
})

it('each kind is listed in one tab', () => {
  expect(jobTabs.flatMap(kindsOf).toSorted()).toEqual(jobTypes.toSorted())
})
