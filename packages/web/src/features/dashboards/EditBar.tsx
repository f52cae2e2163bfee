import { ActionIcon, Button, Group, Text, Tooltip } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import {
  IconArrowBackUp,
  IconArrowForwardUp,
  IconDeviceFloppy,
  IconPlus,
  IconSettings,
} from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { fieldIssues } from '../../lib/errors.ts'
import { Icon, type IconType } from '../../ui/display/Icon.tsx'
import { ConfirmDialog } from '../../ui/feedback/ConfirmDanger.tsx'
import { ErrorText } from '../../ui/feedback/ErrorText.tsx'
import { isDialogOpen } from '../../ui/feedback/onTop.ts'
import { LeaveQuestion } from '../../ui/forms/LeaveQuestion.tsx'
import classes from './dashboards.module.css'
import type { DraftOfBoard } from './useDraft.ts'
import { kindText } from './widgets/index.ts'

interface EditBarProps {
  draft: DraftOfBoard
  onAdd: () => void
  onSettings: () => void
  /** Leaves the edit mode; called when there is nothing left to save. */
  onDone: () => void
}

/** The bar of the edit mode: adds widgets, undoes, and saves or discards the draft. */
export function EditBar({ draft, onAdd, onSettings, onDone }: EditBarProps) {
  const { t } = useTranslation()
  const [discarding, setDiscarding] = useState(false)
  const save = async () => {
    if (await draft.save()) onDone()
  }
  const discard = () => {
    setDiscarding(false)
    draft.discard()
    onDone()
  }
  useHotkeys([['mod+S', () => (isDialogOpen() ? undefined : void save())]], [])
  return (
    <section className={classes.editBar} aria-label={t('dashboards.edit')}>
      <Text size="sm" className={classes.editHint ?? ''}>
        {t(draft.changed ? 'form.unsaved' : 'dashboards.editing')}
      </Text>
      <Group gap={8} className={classes.editTools ?? ''}>
        <StepButton
          icon={IconArrowBackUp}
          label={t('common.undo')}
          disabled={!draft.canUndo}
          onClick={draft.undo}
        />
        <StepButton
          icon={IconArrowForwardUp}
          label={t('common.redo')}
          disabled={!draft.canRedo}
          onClick={draft.redo}
        />
        <ToolButton icon={IconSettings} label={t('dashboards.settings')} onClick={onSettings} />
        <ToolButton icon={IconPlus} label={t('dashboards.addWidget')} onClick={onAdd} />
      </Group>
      <Group gap={8} className={classes.editEnd ?? ''} data-changed={draft.changed || undefined}>
        {draft.changed ? (
          <>
            <Button
              size="compact-md"
              variant="default"
              disabled={draft.busy}
              onClick={() => setDiscarding(true)}
            >
              {t('form.discard')}
            </Button>
            <Button
              size="compact-md"
              loading={draft.busy}
              leftSection={<Icon of={IconDeviceFloppy} size={16} />}
              onClick={() => void save()}
            >
              {t('common.save')}
            </Button>
          </>
        ) : (
          <Button size="compact-md" variant="default" onClick={onDone}>
            {t('dashboards.done')}
          </Button>
        )}
      </Group>
      {draft.failure === undefined || draft.isConflict ? null : <Failure draft={draft} />}
      <LeaveQuestion asking={discarding} onStay={() => setDiscarding(false)} onLeave={discard} />
      {draft.isConflict ? (
        <ConfirmDialog
          opened
          title={t('dashboards.conflictTitle')}
          text={t('dashboards.conflictText')}
          confirmLabel={t('dashboards.overwrite')}
          cancelLabel={t('form.stay')}
          danger
          onCancel={draft.stay}
          onConfirm={() => void draft.overwrite().then((stored) => stored && onDone())}
        />
      ) : null}
    </section>
  )
}

function StepButton(props: { icon: IconType; label: string; disabled: boolean; onClick: () => void }) {
  return (
    <Tooltip label={props.label}>
      <ActionIcon
        size={34}
        variant="default"
        aria-label={props.label}
        disabled={props.disabled}
        onClick={props.onClick}
      >
        <Icon of={props.icon} size={16} />
      </ActionIcon>
    </Tooltip>
  )
}

/** On phones only the icon. */
function ToolButton(props: { icon: IconType; label: string; onClick: () => void }) {
  const icon = <Icon of={props.icon} size={16} />
  return (
    <>
      <Button size="compact-md" variant="default" visibleFrom="sm" leftSection={icon} onClick={props.onClick}>
        {props.label}
      </Button>
      <ActionIcon
        size={34}
        variant="default"
        hiddenFrom="sm"
        aria-label={props.label}
        onClick={props.onClick}
      >
        {icon}
      </ActionIcon>
    </>
  )
}

/** Why the draft was not saved, and which widget caused it. */
function Failure({ draft: { failure, shown } }: { draft: DraftOfBoard }) {
  const { t } = useTranslation()
  const [issue] = fieldIssues(failure)
  const index = Number(/^widgets\.(\d+)\./.exec(issue?.path ?? '')?.[1] ?? -1)
  const definition = shown.widgets[index]?.definition
  return (
    <div className={classes.editFailure}>
      {definition ? (
        <Text size="sm" fw={550}>
          {definition.title || t(kindText(definition))}
        </Text>
      ) : null}
      <ErrorText error={failure} />
    </div>
  )
}
