import * as z from 'zod'
import {
  Done,
  Id,
  Json,
  KeyValues,
  listOf,
  operation,
  orderBy,
  Paging,
  pageOf,
  Tags,
  Text,
  Time,
  Title,
  Version,
} from './common.ts'
import { Health, HealthConfig } from './health.ts'
import { BackgroundJob } from './jobs.ts'
import { may } from './permissions.ts'
import { TemplateRuleAction } from './rules/actions.ts'
import { templateMetricOf } from './rules/metrics.ts'
import { TemplateRuleTriggers } from './rules/triggers.ts'
import { RuleFields } from './rules.ts'
import { StateFields, StateKey, settingsOf, sourced } from './states.ts'
import { TemplateProperty, VirtualDevice } from './virtualdevices.ts'

export const templateLimits = { statesMax: 200, rulesMax: 50, propertiesMax: 50 } as const

/**
 * Sources of states of devices that are the same for all of them, with their settings. An aggregate is
 * computed from states of the same template, referenced by key.
 */
const templateSettings = {
  none: settingsOf.none,
  connector: settingsOf.connector.pick({ variable: true }),
  random: settingsOf.random,
  aggregate: settingsOf.aggregate
    .omit({ stateIds: true, query: true, stale: true })
    .extend({ stateKeys: z.array(StateKey).max(templateLimits.statesMax).optional() }),
}
export const templateStateSources = Object.keys(templateSettings) as (keyof typeof templateSettings)[]

/** A state of every linked device. */
export const TemplateState = sourced({ key: StateKey, ...StateFields }, templateSettings)
export type TemplateState = z.infer<typeof TemplateState>

/** Like `Metric`, with the key of a template state. */
export const TemplateMetric = templateMetricOf({ stateKey: StateKey })
export type TemplateMetric = z.infer<typeof TemplateMetric>

const { many: _many, ...templateFields } = RuleFields

/** A rule of every linked device. */
export const TemplateRule = z.object({
  ...templateFields,
  /** identifies the matching rule of a device; the server assigns one to new rules */
  id: z.uuid().optional(),
  triggers: TemplateRuleTriggers.default(() => [{ kind: 'values' as const }]),
  metrics: z.array(TemplateMetric).min(1).max(50),
  actions: z.array(TemplateRuleAction).min(1).max(20),
})
export type TemplateRule = z.infer<typeof TemplateRule>

/**
 * Content of a template. Driver, connector, health, states and rules cannot be changed on its devices; tags,
 * groups and icon are only initial values for new devices.
 */
export const TemplateContent = z.object({
  driverId: Id,
  /** null follows the published one */
  driverVersion: z.int().min(1).nullable().default(null),
  /** null: the connector was deleted */
  connectorId: Id.nullable(),
  icon: z.string().max(50).nullable().default(null),
  tags: Tags.default([]),
  groups: Tags.default([]),
  /** null: the driver's configuration */
  health: HealthConfig.nullable().default(null),
  states: z.array(TemplateState).max(templateLimits.statesMax).default([]),
  rules: z.array(TemplateRule).max(templateLimits.rulesMax).default([]),
  properties: z.array(TemplateProperty).max(templateLimits.propertiesMax).default([]),
})
export type TemplateContent = z.infer<typeof TemplateContent>

/** A draft was never published, so no device can be linked to it. */
export const templateStages = ['draft', 'productive'] as const
export const TemplateStage = z.enum(templateStages)
export type TemplateStage = z.infer<typeof TemplateStage>

/**
 * - changed: the draft differs from the published content
 * - unlinked: it has no devices
 * - running: a job is synchronising devices
 * - failed: the job could not synchronise some of them
 * - synced: all of them are in sync
 * - unknown: some are out of sync, because the job was cancelled or given up
 */
export const templateSyncStates = ['synced', 'failed', 'running', 'unlinked', 'changed', 'unknown'] as const
export const TemplateSyncState = z.enum(templateSyncStates)
export type TemplateSyncState = z.infer<typeof TemplateSyncState>

/** Driver, connector and icon are those of the draft. */
export const DeviceTemplateSummary = z.object({
  id: Id,
  title: z.string(),
  description: z.string(),
  icon: z.string().nullable(),
  accountId: Id,
  accountName: z.string(),
  scopeId: Id,
  driverId: Id,
  driverTitle: z.string(),
  connectorId: Id.nullable(),
  connectorName: z.string().nullable(),
  stage: TemplateStage,
  syncState: TemplateSyncState,
  deviceCount: z.int(),
  /** devices that the last job could not synchronise */
  failedCount: z.int(),
  publishedAt: Time.nullable(),
  createdAt: Time,
  updatedAt: Time,
  version: z.int(),
  editable: z.boolean(),
})
export type DeviceTemplateSummary = z.infer<typeof DeviceTemplateSummary>

export const DeviceTemplate = DeviceTemplateSummary.extend({
  draft: TemplateContent,
  /** the published content that devices use; null: never published */
  productive: TemplateContent.nullable(),
  /** differences between the draft and the published content */
  changeCount: z.int(),
  /** the last job that synchronised devices */
  jobId: Id.nullable(),
})
export type DeviceTemplate = z.infer<typeof DeviceTemplate>

export const templateSections = [
  'driver',
  'connector',
  'health',
  'state',
  'rule',
  'property',
  'tags',
  'groups',
  'icon',
] as const

/** A difference between the published content and the draft. */
export const TemplateChange = z.object({
  section: z.enum(templateSections),
  kind: z.enum(['added', 'changed', 'removed']),
  /** of a state or property, id of a rule; else empty */
  key: z.string(),
  /** of a state or rule; else empty */
  title: z.string(),
  /** fields that differ; empty when it was added or removed */
  fields: z.array(z.string()),
  before: Json,
  after: Json,
  /** affected linked devices; tags, groups and icon only affect new devices */
  devices: z.int(),
})
export type TemplateChange = z.infer<typeof TemplateChange>

export const linkedStates = ['synced', 'failed', 'behind'] as const

/** A device of a template with its synchronisation state. */
export const LinkedDevice = z.object({
  id: Id,
  title: z.string(),
  externalId: z.string(),
  health: Health,
  lastSeen: Time.nullable(),
  syncState: z.enum(linkedStates),
  /** why it could not be synchronised */
  error: z.object({ code: z.string() }).nullable(),
  syncedAt: Time.nullable(),
})
export type LinkedDevice = z.infer<typeof LinkedDevice>

const HeldState = z.object({ stateId: Id, key: z.string(), title: z.string() })

/** Effects of linking a device to a template. */
export const TemplateLinkPreview = z.object({
  /** why it would be refused; empty: it is possible */
  faults: z.array(z.object({ code: z.string(), field: z.string().optional() })),
  /** states missing from the template: they are deleted with their history */
  dropped: z.array(HeldState),
  /** states missing from the template that are in use: the device keeps them as its own */
  kept: z.array(HeldState),
  /** states both have: they take the template's definition and keep their history */
  matched: z.array(HeldState),
  added: z.array(z.object({ key: z.string(), title: z.string() })),
  rules: z.array(
    z.object({
      title: z.string(),
      /** the device has its own rule with this title, which becomes the template's rule */
      replaces: z.boolean(),
    }),
  ),
  /** properties the template requires, with the device's current value; null: not set */
  properties: z.array(TemplateProperty.extend({ value: z.string().nullable() })),
})
export type TemplateLinkPreview = z.infer<typeof TemplateLinkPreview>

const read = may('DeviceTemplate', 'read', 'manage')
const manage = may('DeviceTemplate', 'manage')
const tags = ['device templates']
const base = '/digitaltwin/device-templates'

const order = orderBy(['title', 'driver', 'account', 'createdAt', 'updatedAt', 'id'])

const TemplateInput = {
  title: Title,
  description: Text.default(''),
  content: TemplateContent,
  /** published version of another account's driver that the account accepts in the name of the caller */
  acceptDriver: z.int().min(1).optional(),
}

/** Configurations shared by many devices. Saving a template changes its draft, never a device. */
export const deviceTemplate = {
  /**
   * `search` matches titles, drivers and ids; `productive` selects published templates, or only the others.
   */
  list: operation
    .meta({ rule: read })
    .route({ method: 'GET', path: `${base}/list`, tags, summary: 'Device templates' })
    .input(
      z.object({
        ...Paging,
        search: z.string().max(200).optional(),
        accountIds: listOf(Id).optional(),
        driverIds: listOf(Id).optional(),
        connectorIds: listOf(Id).optional(),
        productive: z.boolean().optional(),
        orderBy: order.default('title'),
      }),
    )
    .output(pageOf(DeviceTemplateSummary)),
  get: operation
    .meta({ rule: read })
    .route({ method: 'GET', path: `${base}/{id}`, tags, summary: 'Read a device template' })
    .input(z.object({ id: Id }))
    .output(DeviceTemplate),
  draft: operation
    .meta({ rule: read })
    .route({ method: 'GET', path: `${base}/{id}/draft`, tags, summary: 'What is saved' })
    .input(z.object({ id: Id }))
    .output(TemplateContent),
  /** DEVICE_TEMPLATE_NOT_PUBLISHED if it was never published. */
  productive: operation
    .meta({ rule: read })
    .route({ method: 'GET', path: `${base}/{id}/productive`, tags, summary: 'What holds for its devices' })
    .input(z.object({ id: Id }))
    .output(TemplateContent),
  /** The changes that publishing the draft would make. */
  changes: operation
    .meta({ rule: read })
    .route({ method: 'GET', path: `${base}/{id}/changes`, tags, summary: 'Changes not synchronised' })
    .input(z.object({ id: Id }))
    .output(z.object({ items: z.array(TemplateChange), devices: z.int() })),
  /**
   * The connector must belong to the account or one above it, and the driver must be available to it. A
   * driver of another account must be accepted: DEVICEDRIVER_NOT_ACCEPTED with `drivers`.
   * DEVICE_TEMPLATE_INVALID lists inconsistencies in `issues`.
   */
  create: operation
    .meta({ rule: manage })
    .route({ method: 'POST', path: base, tags, summary: 'Create a device template', successStatus: 201 })
    .input(z.object({ accountId: Id, ...TemplateInput }))
    .output(DeviceTemplate),
  update: operation
    .meta({ rule: manage })
    .route({ method: 'PUT', path: `${base}/{id}`, tags, summary: 'Save the draft of a device template' })
    .input(z.object({ id: Id, version: Version, ...TemplateInput }))
    .output(DeviceTemplate),
  /**
   * Publishes the draft and synchronises all linked devices in the background. Without changes, only devices
   * that are out of sync. DEVICE_TEMPLATE_SYNC_RUNNING while a job is running,
   * DEVICE_TEMPLATE_CONNECTOR_DELETED when its connector was deleted.
   */
  publishAndSync: operation
    .meta({ rule: manage, clientTimeoutMs: 60_000 })
    .route({
      method: 'POST',
      path: `${base}/{id}/publish-and-sync`,
      tags,
      summary: 'Publish a device template and synchronise its devices',
    })
    .input(z.object({ id: Id, version: Version }))
    .output(
      z.object({
        template: DeviceTemplate,
        /** null: all devices were already in sync */
        job: BackgroundJob.nullable(),
      }),
    ),
  /** Linked devices the caller may see, by title. */
  fetchLinkedDevices: operation
    .meta({ rule: read })
    .route({
      method: 'GET',
      path: `${base}/{id}/fetch-linked-devices`,
      tags,
      summary: 'Devices of a device template',
    })
    .input(
      z.object({
        ...Paging,
        id: Id,
        search: z.string().max(200).optional(),
        states: listOf(z.enum(linkedStates)).optional(),
      }),
    )
    .output(pageOf(LinkedDevice)),
  /**
   * Templates of the devices that a smart group has for the caller, most devices first; templates that the
   * caller may not see are left out.
   */
  fetchSmartGroupRelated: operation
    .meta({ rule: read })
    .route({
      method: 'GET',
      path: `${base}/fetch-smart-group-related-templates`,
      tags,
      summary: 'Device templates of the devices of a smart group',
    })
    .input(z.object({ view_id: Id }))
    .output(
      z.object({
        items: z.array(z.object({ id: Id, title: z.string(), accountId: Id, devices: z.int() })),
      }),
    ),
  /** Refused with DEVICE_TEMPLATE_LINKED while devices are linked to it. */
  delete: operation
    .meta({ rule: manage })
    .route({ method: 'DELETE', path: `${base}/{id}`, tags, summary: 'Delete a device template' })
    .input(z.object({ id: Id }))
    .output(Done),
}

const write = may('VirtualDevice', 'write', 'manage')
const ofDevices = ['virtual devices']
const link = '/virtualdevice/{id}/devicetemplate-link'

/** Links single devices; `bulk.edit` links many at once. The caller must also be able to see the template. */
export const templateOfDevice = {
  previewLink: operation
    .meta({ rule: write })
    .route({
      method: 'GET',
      path: `${link}/{templateId}`,
      tags: ofDevices,
      summary: 'What linking to a device template would change',
    })
    .input(z.object({ id: Id, templateId: Id }))
    .output(TemplateLinkPreview),
  /**
   * Applies the template to the device. States missing from the template are deleted unless something uses
   * them. Driver, connector and account must match the template (DEVICE_TEMPLATE_MISMATCH with `field`), and
   * the device must not be linked (DEVICE_TEMPLATE_ALREADY_LINKED).
   */
  link: operation
    .meta({ rule: write, clientTimeoutMs: 60_000 })
    .route({ method: 'POST', path: link, tags: ofDevices, summary: 'Link to a device template' })
    .input(
      z.object({
        id: Id,
        version: Version,
        templateId: Id,
        /** values of required properties */
        properties: KeyValues.default({}),
      }),
    )
    .output(VirtualDevice),
  /**
   * The device keeps driver, health, states and rules as its own. DEVICE_TEMPLATE_NOT_LINKED when it has no
   * template.
   */
  unlink: operation
    .meta({ rule: write, clientTimeoutMs: 60_000 })
    .route({
      method: 'POST',
      path: '/virtualdevice/{id}/devicetemplate-unlink',
      tags: ofDevices,
      summary: 'Unlink from the device template',
    })
    .input(z.object({ id: Id, version: Version }))
    .output(VirtualDevice),
}
