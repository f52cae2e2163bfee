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
import { metricOf } from './rules/metrics.ts'
import { RuleFields } from './rules.ts'
import { SourceSettings, StateFields, StateKey } from './states.ts'
import { TemplateProperty, VirtualDevice } from './virtualdevices.ts'

export const templateLimits = { statesMax: 200, rulesMax: 50, propertiesMax: 50 } as const

export const templateStateSources = ['none', 'connector', 'random', 'aggregate'] as const

/** A state every linked device has. An aggregate is computed from states of the same template, named by their keys. */
export const TemplateState = z.object({
  key: StateKey,
  ...StateFields,
  source: z.enum(templateStateSources),
  sourceSettings: SourceSettings.omit({ connectorId: true, identifier: true, stateIds: true })
    .extend({ stateKeys: z.array(StateKey).max(templateLimits.statesMax).optional() })
    .default({}),
})
export type TemplateState = z.infer<typeof TemplateState>

/** As `Metric`, with the key of a state of the template. */
export const TemplateMetric = metricOf({ stateKey: StateKey })
export type TemplateMetric = z.infer<typeof TemplateMetric>

/** A rule every linked device has. */
export const TemplateRule = z.object({
  ...RuleFields,
  /** by which the rule of a device is found again; a new rule gets one from the server */
  id: z.uuid().optional(),
  metrics: z.array(TemplateMetric).min(1).max(50),
  actions: z.array(TemplateRuleAction).min(1).max(20),
})
export type TemplateRule = z.infer<typeof TemplateRule>

/**
 * What a template says. Driver, connector, health, states and rules are fixed on its devices; tags, groups and icon are
 * where a new device begins.
 */
export const TemplateContent = z.object({
  driverId: Id,
  /** null follows the published one */
  driverVersion: z.int().min(1).nullable().default(null),
  /** null: it was deleted */
  connectorId: Id.nullable(),
  icon: z.string().max(50).nullable().default(null),
  tags: Tags.default([]),
  groups: Tags.default([]),
  /** null: that of the driver */
  health: HealthConfig.nullable().default(null),
  states: z.array(TemplateState).max(templateLimits.statesMax).default([]),
  rules: z.array(TemplateRule).max(templateLimits.rulesMax).default([]),
  properties: z.array(TemplateProperty).max(templateLimits.propertiesMax).default([]),
})
export type TemplateContent = z.infer<typeof TemplateContent>

/** A draft was never published: no device can be linked to it. */
export const templateStages = ['draft', 'productive'] as const
export const TemplateStage = z.enum(templateStages)
export type TemplateStage = z.infer<typeof TemplateStage>

/**
 * - changed: the draft differs from what is productive
 * - unlinked: it has no devices
 * - running: a job brings devices in line
 * - failed: it could not bring some of them in line
 * - synced: all of them are in line
 * - unknown: some are not, as the job was cancelled or given up
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
  /** of these, those the last job could not bring in line */
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
  /** what devices are linked to; null: never published */
  productive: TemplateContent.nullable(),
  /** of the draft against what is productive */
  changeCount: z.int(),
  /** the last job that brought devices in line */
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

/** A difference between what is productive and the draft. */
export const TemplateChange = z.object({
  section: z.enum(templateSections),
  kind: z.enum(['added', 'changed', 'removed']),
  /** of a state or property, id of a rule; else empty */
  key: z.string(),
  /** of a state or rule; else empty */
  title: z.string(),
  /** fields of it that differ; empty where it is added or removed */
  fields: z.array(z.string()),
  before: Json,
  after: Json,
  /** linked devices it reaches; tags, groups and icon reach new devices only */
  devices: z.int(),
})
export type TemplateChange = z.infer<typeof TemplateChange>

export const linkedStates = ['synced', 'failed', 'behind'] as const

/** A device of a template, and how far it is in line with it. */
export const LinkedDevice = z.object({
  id: Id,
  title: z.string(),
  externalId: z.string(),
  health: Health,
  lastSeen: Time.nullable(),
  syncState: z.enum(linkedStates),
  /** why it could not be brought in line */
  error: z.object({ code: z.string() }).nullable(),
  syncedAt: Time.nullable(),
})
export type LinkedDevice = z.infer<typeof LinkedDevice>

const HeldState = z.object({ stateId: Id, key: z.string(), title: z.string() })

/** What linking a device to a template would do to it. */
export const TemplateLinkPreview = z.object({
  /** why it would be refused; empty: it would not */
  faults: z.array(z.object({ code: z.string(), field: z.string().optional() })),
  /** states the template does not have: they go with their history */
  dropped: z.array(HeldState),
  /** such states that something uses: they stay as the device's own */
  kept: z.array(HeldState),
  /** states both have: they become what the template says, and keep their history */
  matched: z.array(HeldState),
  added: z.array(z.object({ key: z.string(), title: z.string() })),
  rules: z.array(
    z.object({
      title: z.string(),
      /** the device has one of its own of this title, which becomes that of the template */
      replaces: z.boolean(),
    }),
  ),
  /** what the template demands, with what the device has now; null: nothing */
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
}

/** Set-ups that many devices have in common. Saving one changes its draft, never a device. */
export const deviceTemplate = {
  /** `search` finds titles, drivers and ids; `productive` those devices can be linked to, or only the others. */
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
  /** DEVICE_TEMPLATE_NOT_PUBLISHED while there is none. */
  productive: operation
    .meta({ rule: read })
    .route({ method: 'GET', path: `${base}/{id}/productive`, tags, summary: 'What holds for its devices' })
    .input(z.object({ id: Id }))
    .output(TemplateContent),
  /** What publishing the draft would change. */
  changes: operation
    .meta({ rule: read })
    .route({ method: 'GET', path: `${base}/{id}/changes`, tags, summary: 'Changes not synchronised' })
    .input(z.object({ id: Id }))
    .output(z.object({ items: z.array(TemplateChange), devices: z.int() })),
  /**
   * The connector belongs to the account or one above it, and the driver is offered to it. DEVICE_TEMPLATE_INVALID names
   * with `issues` what does not fit together.
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
   * Makes the draft productive, and brings all linked devices in line with it in the background. Without changes only
   * those that are not in line. DEVICE_TEMPLATE_SYNC_RUNNING while that is under way, DEVICE_TEMPLATE_CONNECTOR_DELETED
   * when its connector is gone.
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
        /** null: no device had to be brought in line */
        job: BackgroundJob.nullable(),
      }),
    ),
  /** Those the caller may see, by title. */
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
  /** Templates of the devices a saved filter finds for the caller, most devices first; those he may not see are left out. */
  fetchSmartGroupRelated: operation
    .meta({ rule: read })
    .route({
      method: 'GET',
      path: `${base}/fetch-smart-group-related-templates`,
      tags,
      summary: 'Device templates of the devices of a saved filter',
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

/** Linking single devices; many at once are linked by `bulk.edit`. The template has to be open to the caller, too. */
export const templateOfDevice = {
  previewTemplateLink: operation
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
   * The device gets what the template says, and loses states the template does not have unless something uses them.
   * Driver, connector and account have to be those of the template (DEVICE_TEMPLATE_MISMATCH with `field`), and it must
   * not be linked (DEVICE_TEMPLATE_ALREADY_LINKED).
   */
  linkTemplate: operation
    .meta({ rule: write, clientTimeoutMs: 60_000 })
    .route({ method: 'POST', path: link, tags: ofDevices, summary: 'Link to a device template' })
    .input(
      z.object({
        id: Id,
        version: Version,
        templateId: Id,
        /** values of what the template demands */
        properties: KeyValues.default({}),
      }),
    )
    .output(VirtualDevice),
  /** Driver, health, states and rules stay, as the device's own. DEVICE_TEMPLATE_NOT_LINKED when it has no template. */
  unlinkTemplate: operation
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
