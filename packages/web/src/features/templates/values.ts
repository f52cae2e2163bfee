import { Text, Title } from '@leitstand/contract/common'
import type { HealthConfig } from '@leitstand/contract/health'
import { TemplateContent as ContentSchema } from '@leitstand/contract/templates'
import i18next from 'i18next'
import * as z from 'zod'
import { describeError } from '../../lib/errors.ts'
import { check } from '../../lib/validation.ts'
import type { Template, TemplateContent, TemplateRule, TemplateState } from './queries.ts'
import { missingKeys } from './rules.ts'

/** Form values of a template; ids are strings, as selects need them. */
export interface TemplateValues extends Record<string, unknown> {
  title: string
  description: string
  icon: string | null
  tags: string[]
  groups: string[]
  driverId: string | null
  driverVersion: string | null
  connectorId: string | null
  /** null: that of the driver */
  health: HealthConfig | null
  states: TemplateState[]
  rules: TemplateRule[]
  properties: TemplateContent['properties']
}

/** The editor sections of the form, in order. */
export const formSections = ['meta', 'driver', 'health', 'states', 'rules'] as const
export type FormSection = (typeof formSections)[number]

const sectionOf: Record<string, FormSection> = {
  driverId: 'driver',
  driverVersion: 'driver',
  connectorId: 'driver',
  health: 'health',
  states: 'states',
  rules: 'rules',
}

/** The section of the first field with an error. */
export function faultySection(faults: Readonly<Record<string, unknown>>): FormSection {
  const wrong = Object.keys(faults).map((path) => sectionOf[path.split('.')[0] ?? ''] ?? 'meta')
  return formSections.find((section) => wrong.includes(section)) ?? 'meta'
}

const idText = (id: number | null) => (id === null ? null : String(id))
const numberOf = (id: string | null) => (id === null ? null : Number(id))

function contentValues({ title, description }: Template, content: TemplateContent): TemplateValues {
  return {
    title,
    description,
    icon: content.icon,
    tags: content.tags,
    groups: content.groups,
    driverId: idText(content.driverId),
    driverVersion: idText(content.driverVersion),
    connectorId: idText(content.connectorId),
    health: content.health,
    states: content.states,
    rules: content.rules,
    properties: content.properties,
  }
}

/** The draft as form values. */
export function toValues(template: Template): TemplateValues {
  return contentValues(template, template.draft)
}

/** The settings devices have now; the draft if nothing was published yet. */
export function toProductiveValues(template: Template): TemplateValues {
  return contentValues(template, template.productive ?? template.draft)
}

/** A missing driver is 0, which the server rejects; the form reports it first. */
export function toInput(values: TemplateValues) {
  return {
    title: values.title.trim(),
    description: values.description,
    content: {
      driverId: Number(values.driverId ?? 0),
      driverVersion: numberOf(values.driverVersion),
      connectorId: numberOf(values.connectorId),
      icon: values.icon,
      tags: values.tags,
      groups: values.groups,
      health: values.health,
      states: values.states,
      rules: values.rules,
      properties: values.properties.map(({ key, defaultValue }) => ({ key: key.trim(), defaultValue })),
    },
  }
}

const titleFaults = check(z.object({ title: Title, description: Text }))
const contentFaults = check(ContentSchema)

/** Form errors by field. */
export function checkTemplate(values: TemplateValues): Record<string, string> {
  const { title, description, content } = toInput(values)
  const rule = content.rules.find((each) => missingKeys(each, content.states).length > 0)
  const missing = rule
    ? {
        rules: i18next.t('templates.ruleFault', {
          title: rule.title,
          keys: missingKeys(rule, content.states).join(', '),
        }),
      }
    : {}
  const withoutDriver = values.driverId === null ? { driverId: i18next.t('validation.required') } : {}
  return { ...contentFaults(content), ...withoutDriver, ...missing, ...titleFaults({ title, description }) }
}

const Issues = z.object({
  issues: z.array(z.object({ code: z.string(), path: z.array(z.string()), message: z.string() })),
})

/** Inconsistencies by section, from a DEVICE_TEMPLATE_INVALID error; one sentence each. */
export function invalidParts(error: unknown): Record<string, string> {
  const { issues } = Issues.safeParse(describeError(error).details).data ?? { issues: [] }
  const parts: Record<string, string> = {}
  for (const { code, path, message } of issues) {
    const text = i18next.t(`templates.issue.${code}`, { message })
    // Fields on the page show their own errors; states and rules are edited in sheets.
    const [part = ''] = path
    const field = part === 'states' || part === 'rules' ? part : path.join('.')
    parts[field] ??= text
  }
  return parts
}
