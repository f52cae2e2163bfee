import type { DeadLetterSelection } from '@leitstand/contract/letters'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { client } from '../../lib/api.ts'
import { formatNumber } from '../../lib/format.ts'
import { ConfirmDanger, ConfirmDialog } from '../../ui/feedback/ConfirmDanger.tsx'
import { notifyError, notifySuccess } from '../../ui/feedback/notify.ts'
import { refreshLetters } from './queries.ts'

interface Asked {
  selection: DeadLetterSelection
  count: number
  after?: (() => void) | undefined
}

/** Replays and deletes, each after a confirmation that shows the number of messages. */
export function useLetterActions(id: number, onReplay: (jobId: number) => void) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const [replaying, setReplaying] = useState<Asked>()
  const [deleting, setDeleting] = useState<Asked>()
  const [busy, setBusy] = useState(false)

  const replay = async (asked: Asked) => {
    setBusy(true)
    try {
      const job = await client.letters.replay({ id, selection: asked.selection })
      setReplaying(undefined)
      asked.after?.()
      onReplay(job.id)
    } catch (error) {
      notifyError(error)
    } finally {
      setBusy(false)
      await refreshLetters(cache)
    }
  }
  const remove = async ({ selection, after }: Asked) => {
    const { deleted } = await client.letters.delete({ id, selection })
    notifySuccess(t('connectors.dead.deletedNote', { count: deleted, shown: formatNumber(deleted, 0) }))
    after?.()
    await refreshLetters(cache)
  }
  const counted = (asked: Asked | undefined) => ({
    count: asked?.count ?? 0,
    shown: formatNumber(asked?.count ?? 0, 0),
  })
  return {
    askReplay: (asked: Asked) => setReplaying(asked),
    askDelete: (asked: Asked) => setDeleting(asked),
    dialogs: (
      <>
        <ConfirmDialog
          opened={replaying !== undefined}
          title={t('connectors.dead.replayTitle', counted(replaying))}
          text={t('connectors.dead.replayText')}
          confirmLabel={t('connectors.dead.replay')}
          onCancel={() => setReplaying(undefined)}
          onConfirm={() => (replaying === undefined ? undefined : void replay(replaying))}
          busy={busy}
        />
        <ConfirmDanger
          opened={deleting !== undefined}
          onClose={() => setDeleting(undefined)}
          title={t('connectors.dead.deleteTitle', counted(deleting))}
          text={t('connectors.dead.deleteText')}
          confirmLabel={t('connectors.dead.delete')}
          onConfirm={async () => (deleting === undefined ? undefined : remove(deleting))}
        />
      </>
    ),
  }
}
