import type { TwinSelection } from '@leitstand/contract/twinBulk'
import { Alert } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../../lib/api.ts'
import { formatNumber } from '../../../lib/format.ts'
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../../ui/feedback/Loading.tsx'
import { BulkWizard } from '../BulkWizard.tsx'
import { TwinChangesStep } from './TwinChangesStep.tsx'
import { TwinChangesSummary } from './TwinChangesSummary.tsx'
import { isEmptyChange, noTwinChanges, type TwinValues, toTwinChanges, twinOverlaps } from './twinChanges.ts'

interface BulkEditProps {
  selection: TwinSelection
  onClose: () => void
}

const modes = ['edit', 'delete'] as const
type Mode = (typeof modes)[number]

const runTexts: Record<Mode, string> = { edit: 'twinBulk.runEdit', delete: 'twinBulk.runDelete' }

/** Changes or deletes many twins. */
export default function BulkEditTwins({ selection, onClose }: BulkEditProps) {
  const counted = useQuery(api.twinBulk.selection.queryOptions({ input: { selection } }))
  if (counted.isLoadingError)
    return <ErrorState error={counted.error} onRetry={() => void counted.refetch()} />
  return counted.data ? (
    <EditTwins selection={selection} found={counted.data} onClose={onClose} />
  ) : (
    <Loading />
  )
}

type Found = Awaited<ReturnType<typeof client.twinBulk.selection>>

function EditTwins({ selection, found, onClose }: BulkEditProps & { found: Found }) {
  const { t } = useTranslation()
  const { twins, twinsMax, accounts } = found
  const [mode, setMode] = useState<Mode>('edit')
  const [values, setValues] = useState<TwinValues>(noTwinChanges)
  const [missing, setMissing] = useState(false)
  return (
    <BulkWizard
      heading={t('twinBulk.title')}
      selected={t('twinBulk.twins', { count: twins })}
      count={twins}
      tooMany={
        twins > twinsMax ? t('twinBulk.tooMany', { max: formatNumber(twinsMax, 0), count: twins }) : null
      }
      question={t('twinBulk.question')}
      modes={modes.map((key) => ({
        key,
        label: t(`bulk.mode.${key}`),
        text: t(`twinBulk.${key}Text`),
        run: t(runTexts[key], { count: twins }),
      }))}
      mode={mode}
      onMode={setMode}
      fields={
        mode === 'delete' ? (
          <Alert color="red">{t('twinBulk.deleteHint')}</Alert>
        ) : (
          <TwinChangesStep
            values={values}
            sameAccount={accounts.length <= 1}
            missing={missing}
            onChange={(changed) => {
              setMissing(false)
              setValues((before) => ({ ...before, ...changed }))
            }}
          />
        )
      }
      areFilled={() => {
        if (mode === 'delete') return true
        const nothing = isEmptyChange(values)
        setMissing(nothing)
        return !nothing && twinOverlaps(values).length === 0
      }}
      summary={mode === 'edit' ? <TwinChangesSummary values={values} /> : null}
      hint={mode === 'edit' ? t('twinBulk.undoHint') : null}
      typeCount={t('twinBulk.typeCount')}
      countWrong={t('twinBulk.countWrong')}
      dirty={values !== noTwinChanges}
      onStart={(title) =>
        client.twinBulk.edit({
          title,
          selection,
          mode:
            mode === 'edit'
              ? { kind: 'edit', changes: toTwinChanges(values) }
              : { kind: 'delete', count: twins },
        })
      }
      onClose={onClose}
    />
  )
}
