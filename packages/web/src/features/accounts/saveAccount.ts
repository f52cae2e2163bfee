import { client } from '../../lib/api.ts'
import type { AccountValues } from './accountValues.ts'
import { toAccountInput } from './accountValues.ts'
import type { Account } from './queries.ts'

/** Rights beyond those of every administrator of the account. */
interface Rights {
  /** retention and messages per second */
  system: boolean
  /** devices, templates, files, bulk jobs and rows of CSV files */
  limits: boolean
}

type Step = (version: number) => Promise<{ version: number }>

/**
 * Stores the changes in separate calls, as each part needs its own permission.
 * @param onStored called with the version after each call, so that a retry continues from there
 */
export async function saveAccount(
  account: Account,
  values: AccountValues,
  options: {
    version: number
    rights: Rights
    onStored: (version: number) => void
  },
): Promise<void> {
  const { rights, onStored } = options
  const { id } = account
  let version = options.version
  const steps: Step[] = [(seen) => client.tenant.update({ id, version: seen, ...toAccountInput(values) })]
  if (rights.system && values.retention !== account.ownRetentionMonths)
    steps.push((seen) => client.tenant.setRetention({ id, version: seen, months: values.retention }))
  if (rights.system && values.messagesPerSecond !== account.messagesPerSecond)
    steps.push((seen) =>
      client.tenant.setLimits({ id, version: seen, messagesPerSecond: values.messagesPerSecond }),
    )
  if (rights.limits && values.csvRows !== account.limits.csvExport.own)
    steps.push((seen) => client.tenant.setCsvExportLimit({ id, version: seen, rows: values.csvRows }))
  if (rights.limits && values.bulkDevices !== account.limits.bulk.own)
    steps.push((seen) => client.tenant.setBulkLimit({ id, version: seen, devices: values.bulkDevices }))
  const { devices, templates } = values
  const { limits } = account
  if (rights.limits && (devices !== limits.devices.own || templates !== limits.templates.own))
    steps.push((seen) => client.tenant.setTemplateLimits({ id, version: seen, devices, templates }))
  if (rights.limits && values.fileMegabytes !== account.limits.files.own)
    steps.push((seen) => client.tenant.setFileLimit({ id, version: seen, megabytes: values.fileMegabytes }))
  for (const step of steps) {
    const saved = await step(version)
    version = saved.version
    onStored(version)
  }
}
