import { fieldsOfError } from '@leitstand/contract/errorFields'
import { describeError, fieldIssues } from '../../lib/errors.ts'
import type { Faults } from './fieldFaults.ts'

/**
 * Finds the fields an error of the server is about: those it names (`issues`, `field`), otherwise the ones the
 * catalogue names for its code. Fields of forms have the names of the operation's input.
 * @returns texts by path, and whether any of the error is about no field of the form
 */
export function placeError(error: unknown, values: object): { placed: Faults; isLeft: boolean } {
  const isField = (path: string) => Object.hasOwn(values, path.split('.')[0] ?? '')
  const issues = fieldIssues(error)
  if (issues.length > 0) {
    const placed = issues.filter(({ path }) => isField(path))
    return {
      placed: Object.fromEntries(placed.map(({ path, message }) => [path, message])),
      isLeft: placed.length < issues.length,
    }
  }
  const { code, text, details } = describeError(error)
  const named = typeof details.field === 'string' ? [details.field] : []
  const path = [...named, ...(fieldsOfError[code] ?? [])].find(isField)
  return path === undefined ? { placed: {}, isLeft: true } : { placed: { [path]: text }, isLeft: false }
}
