import type { TwinUndo } from '@leitstand/contract/twins'
import type { UndoPart } from '@leitstand/contract/twinUndo'
import type { TFunction } from 'i18next'
import { useCallback } from 'react'
import { useTranslation } from 'react-i18next'
import { client } from '../../lib/api.ts'
import { notifySuccess, notifyWarning } from '../../ui/feedback/notify.ts'
import { notifyUndo } from '../../ui/feedback/notifyUndo.ts'
import { useTwinsChanged } from './queries.ts'

/** Says that twins were changed, and offers to undo it where that is possible. */
export function useUndoOffer(): (text: string, undo: TwinUndo | null) => void {
  const { t } = useTranslation()
  const changed = useTwinsChanged()
  return useCallback(
    (text, undo) => {
      if (undo === null) return notifySuccess(text)
      notifyUndo(text, async () => {
        const { left } = await client.twinUndo.run({ id: undo.id })
        if (left.length > 0) notifyWarning(leftText(left, t))
        else notifySuccess(t('twins.undone'))
        await changed()
      })
    },
    [t, changed],
  )
}

const leftText = (left: readonly UndoPart[], t: TFunction) =>
  left.map((part) => t(`twins.undoLeft.${part}`)).join(' ')
