import { Button, Modal, Stack, Text } from '@mantine/core'
import {
  IconArrowsMove,
  IconCirclePlus,
  IconMap2,
  IconPlayerPause,
  IconPlayerPlay,
  IconShieldLock,
  IconTrash,
} from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { client } from '../../lib/api.ts'
import { onDemand } from '../../lib/onDemand.ts'
import { useCan } from '../../lib/session.ts'
import { ConfirmDanger, ConfirmDialog } from '../../ui/feedback/ConfirmDanger.tsx'
import { ErrorText } from '../../ui/feedback/ErrorText.tsx'
import { notifySuccess } from '../../ui/feedback/notify.ts'
import { DialogFoot } from '../../ui/forms/DialogFoot.tsx'
import { EntityPicker } from '../../ui/forms/EntityPicker.tsx'
import { useChanged, useLeave } from '../../ui/forms/useLeave.tsx'
import type { RowAction } from '../../ui/list/types.ts'
import { TwinFailure } from './area/TwinFailure.tsx'
import { CreateTwin } from './CreateTwin.tsx'
import { twinMapPath } from './kinds.ts'
import { OwnScope } from './OwnScope.tsx'
import { findTwins, nameTwin, useTwinsChanged } from './queries.ts'
import { type TwinAction, type TwinActionProps, twinActions } from './slots.ts'
import { useUndoOffer } from './undoChange.ts'

const MoveEffects = onDemand(() => import('./MoveEffects.tsx'))

type Target = TwinActionProps['twin']
type Open =
  | { kind: 'create' | 'move' | 'scope' | 'disable' | 'delete'; twin: Target }
  | { kind: 'part'; twin: Target; part: TwinAction }
  | null

/**
 * Menu entries of a twin and their dialogs.
 * @param onDeleted called after a twin was deleted; by default the list is reloaded
 */
export function useTwinActions(onDeleted?: () => void) {
  const { t } = useTranslation()
  const can = useCan()
  const changed = useTwinsChanged()
  const navigate = useNavigate()
  const [open, setOpen] = useState<Open>(null)
  const close = () => setOpen(null)
  const mayWrite = can('DigitalTwin', 'write')

  const actionsOf = (twin: Target): RowAction[] => [
    {
      label: t('twins.map.show'),
      icon: IconMap2,
      onClick: () => void navigate({ to: twinMapPath(twin.id) }),
    },
    {
      label: t('twins.createBelow'),
      icon: IconCirclePlus,
      onClick: () => setOpen({ kind: 'create', twin }),
      hidden: !mayWrite,
    },
    ...twinActions.parts.map((part) => ({
      label: t(part.label),
      icon: part.icon,
      onClick: () => setOpen({ kind: 'part', twin, part }),
      hidden: part.needs ? !can(part.needs.subject, part.needs.action) : !mayWrite,
    })),
    {
      label: t('twins.move'),
      icon: IconArrowsMove,
      onClick: () => setOpen({ kind: 'move', twin }),
      hidden: !mayWrite,
    },
    {
      label: t('twins.ownScope.menu'),
      icon: IconShieldLock,
      onClick: () => setOpen({ kind: 'scope', twin }),
      hidden: !mayWrite || !can('UserManagement', 'manage'),
    },
    {
      label: t(twin.disabled ? 'twins.enable' : 'twins.disable'),
      icon: twin.disabled ? IconPlayerPlay : IconPlayerPause,
      onClick: () => setOpen({ kind: 'disable', twin }),
      hidden: !mayWrite,
    },
    {
      label: t('twins.delete'),
      icon: IconTrash,
      onClick: () => setOpen({ kind: 'delete', twin }),
      danger: true,
      hidden: !mayWrite,
    },
  ]

  const twin = open?.twin
  const dialogs = (
    <>
      {open?.kind === 'create' && twin ? <CreateTwin parent={twin} onClose={close} /> : null}
      {open?.kind === 'move' && twin ? <MoveTwin twin={twin} onClose={close} /> : null}
      {open?.kind === 'part' ? (
        <Suspense fallback={null}>
          <open.part.Dialog twin={open.twin} onClose={close} />
        </Suspense>
      ) : null}
      {open?.kind === 'scope' && twin ? <OwnScope twin={twin} onClose={close} /> : null}
      {open?.kind === 'disable' && twin ? <DisableTwin twin={twin} onClose={close} /> : null}
      <ConfirmDanger
        opened={open?.kind === 'delete'}
        onClose={close}
        title={t('twins.deleteTitle', { title: twin?.title })}
        text={t('twins.deleteText')}
        confirmLabel={t('twins.delete')}
        dependencies={{
          key: ['twin', twin?.id],
          load: () => client.digitaltwin.dependencies({ id: twin?.id ?? 0 }),
        }}
        onConfirm={async () => {
          if (!twin) return
          await client.digitaltwin.delete({ id: twin.id })
          notifySuccess(t('twins.deleted', { title: twin.title }))
          onDeleted?.()
          await changed()
        }}
      />
    </>
  )
  return { actionsOf, dialogs }
}

function DisableTwin({ twin, onClose }: { twin: Target; onClose: () => void }) {
  const { t } = useTranslation()
  const offerUndo = useUndoOffer()
  const changed = useTwinsChanged()
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<unknown>(undefined)
  const run = async () => {
    setBusy(true)
    try {
      const { undo } = await client.digitaltwin.setDisabled({ id: twin.id, flag: !twin.disabled })
      offerUndo(t(twin.disabled ? 'twins.enabled' : 'twins.disabledDone', { title: twin.title }), undo)
      await changed()
      onClose()
    } catch (error) {
      setFailure(error)
      setBusy(false)
    }
  }
  return (
    <ConfirmDialog
      opened
      title={t(twin.disabled ? 'twins.enableTitle' : 'twins.disableTitle', { title: twin.title })}
      text={t(twin.disabled ? 'twins.enableText' : 'twins.disableText')}
      confirmLabel={t(twin.disabled ? 'twins.enable' : 'twins.disable')}
      onCancel={onClose}
      onConfirm={() => void run()}
      busy={busy}
    >
      {failure === undefined ? null : <ErrorText error={failure} />}
    </ConfirmDialog>
  )
}

/** Moves a twin below another one of the same account, or to the top. */
function MoveTwin({ twin, onClose }: { twin: Target; onClose: () => void }) {
  const { t } = useTranslation()
  const offerUndo = useUndoOffer()
  const changed = useTwinsChanged()
  const before = twin.parentId === null ? null : String(twin.parentId)
  const [parent, setParent] = useState(before)
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<unknown>(undefined)
  const { close, question } = useLeave(useChanged(parent) && !busy, onClose)
  const run = async () => {
    setBusy(true)
    setFailure(undefined)
    try {
      // The request contains the whole twin, so read its current version.
      const { id: _, ...current } = await client.digitaltwin.get({ id: twin.id })
      const { undo } = await client.digitaltwin.update({
        ...current,
        id: twin.id,
        parentId: parent === null ? null : Number(parent),
      })
      offerUndo(t('twins.moved', { title: twin.title }), undo)
      await changed()
      onClose()
    } catch (error) {
      setFailure(error)
      setBusy(false)
    }
  }
  return (
    <Modal opened onClose={close} title={t('twins.moveTitle', { title: twin.title })} centered>
      <Stack gap="md">
        <Text size="sm">{t('twins.moveText')}</Text>
        <EntityPicker
          isFirst
          label={t('twins.parent')}
          placeholder={t('twins.noParent')}
          value={parent}
          onChange={setParent}
          load={async (search) =>
            (await findTwins(search)).filter((found) => found.value !== String(twin.id))
          }
          labelOf={nameTwin}
        />
        {parent === before ? null : (
          <Suspense fallback={null}>
            <MoveEffects id={twin.id} parentId={parent} />
          </Suspense>
        )}
        {failure === undefined ? null : <TwinFailure id={twin.id} error={failure} />}
        <DialogFoot>
          <Button variant="default" onClick={close}>
            {t('common.cancel')}
          </Button>
          <Button onClick={() => void run()} loading={busy} disabled={parent === before}>
            {t('twins.move')}
          </Button>
        </DialogFoot>
      </Stack>
      {question}
    </Modal>
  )
}
