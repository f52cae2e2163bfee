import i18next from 'i18next'
import type * as z from 'zod'

/**
 * Checks a form's values with a schema of the contract: `useForm({ validate: check(Schema) })`. Returns
 * errors in the user's language by path (`settings.host`), the first one of each field.
 */
export function check(schema: z.ZodType): (values: unknown) => Record<string, string> {
  return (values) => {
    const result = schema.safeParse(values)
    if (result.success) return {}
    const errors: Record<string, string> = {}
    for (const issue of result.error.issues) {
      const path = issue.path.join('.')
      errors[path] ??= isMissing(values, issue) ? i18next.t('validation.required') : issueText(issue)
    }
    return errors
  }
}

/** An empty field is missing, whatever type its value should have. */
function isMissing(values: unknown, { code, path }: z.core.$ZodIssue): boolean {
  if (code !== 'invalid_type') return false
  let value = values
  for (const key of path) value = (value as Record<PropertyKey, unknown> | null | undefined)?.[key]
  return value === undefined || value === null || value === ''
}

/** An error as a sentence: what is expected instead. */
export function issueText(issue: z.core.$ZodIssue): string {
  const { key, ...details } = issueKey(issue)
  if (key !== undefined) return i18next.t(`validation.${key}`, details)
  return issue.message
}

function issueKey(issue: z.core.$ZodIssue): { key: string | undefined; limit?: number } {
  switch (issue.code) {
    case 'too_small': {
      const limit = Number(issue.minimum)
      if (issue.origin === 'string') return limit === 1 ? { key: 'required' } : { key: 'tooShort', limit }
      if (issue.origin === 'array') return limit === 1 ? { key: 'oneNeeded' } : { key: 'tooFew', limit }
      return { key: issue.inclusive === false ? 'above' : 'tooSmall', limit }
    }
    case 'too_big': {
      const limit = Number(issue.maximum)
      if (issue.origin === 'string') return { key: 'tooLong', limit }
      if (issue.origin === 'array') return { key: 'tooMany', limit }
      return { key: issue.inclusive === false ? 'below' : 'tooBig', limit }
    }
    case 'invalid_type':
      return { key: numeric.has(issue.expected) ? 'number' : 'required' }
    case 'invalid_format':
      return { key: formats.has(issue.format) ? issue.format : 'format' }
    case 'custom':
      return {
        key: i18next.exists(`validation.custom.${issue.message}`) ? `custom.${issue.message}` : 'format',
      }
    default:
      return { key: 'format' }
  }
}

const numeric = new Set<string>(['number', 'int', 'nan', 'bigint'])
const formats = new Set<string>(['url', 'email'])
