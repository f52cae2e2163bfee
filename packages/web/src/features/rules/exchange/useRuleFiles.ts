import type { Rule } from '@leitstand/contract/rules'
import { useTranslation } from 'react-i18next'
import { client } from '../../../lib/api.ts'
import { formatBytes } from '../../../lib/format.ts'
import { notifyError, notifyWarning } from '../../../ui/feedback/notify.ts'
import { download } from '../../../ui/list/csv.ts'
import type { RuleDraft } from '../draft.ts'
import type { StateRef } from './file.ts'
import { resolveIn } from './resolve.ts'

/** States of other twins that a file names are looked for among so many. */
const foundMax = 200

async function refOf(stateId: number, objectId: number): Promise<StateRef> {
  const { key, twinId } = await client.state.get({ id: stateId })
  if (twinId === objectId) return { key }
  const { items } = await client.state.search({ dtwinId: twinId, limit: 1 })
  return { key, twin: items[0]?.twinTitle ?? String(twinId) }
}

/** Rules of an object as files. The code that reads and writes them is loaded when it is needed. */
export function useRuleFiles(objectId: number) {
  const { t } = useTranslation()

  const save = async (rule: Rule) => {
    try {
      const { statesOf, toFile } = await import('./file.ts')
      const refs = new Map(
        await Promise.all(statesOf(rule).map(async (id) => [id, await refOf(id, objectId)] as const)),
      )
      const file = toFile(rule, location.origin, (id) => refs.get(id) ?? { key: String(id) })
      download(`${rule.title}.json`, `${JSON.stringify(file, null, 2)}\n`, 'application/json')
    } catch (error) {
      notifyError(error, t('rules.file.saveFailed'))
    }
  }

  /** @returns null when it could not be read, which is shown */
  const read = async (file: File): Promise<RuleDraft | null> => {
    const { fileBytesMax, fromFile, RuleFileError } = await import('./file.ts')
    try {
      if (file.size > fileBytesMax) throw new RuleFileError('tooLarge')
      const { draft, missing, leftOut } = await fromFile(
        await file.text(),
        location.origin,
        resolveIn(objectId, (input) => client.state.search({ limit: foundMax, ...input })),
      )
      const names = missing.map(({ key, twin }) => (twin === undefined ? key : `${twin} › ${key}`))
      const warnings = [
        ...(names.length > 0 ? [t('rules.file.missing', { names: names.join(', ') })] : []),
        ...(leftOut > 0 ? [t('rules.file.leftOut', { count: leftOut })] : []),
      ]
      if (warnings.length > 0) notifyWarning(warnings.join(' '))
      return draft
    } catch (error) {
      const reason =
        error instanceof RuleFileError
          ? t(`rules.file.${error.key}`, { size: formatBytes(fileBytesMax) })
          : error
      notifyError(typeof reason === 'string' ? new Error(reason) : reason, t('rules.file.readFailed'))
      return null
    }
  }

  return { save, read }
}
