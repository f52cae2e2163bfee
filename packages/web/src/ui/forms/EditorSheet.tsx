import { Button, Drawer, Stack } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import type { ReactNode, Ref } from 'react'
import { useTranslation } from 'react-i18next'
import { ErrorText } from '../feedback/ErrorText.tsx'
import classes from '../page/layout.module.css'
import { useLeave } from './useLeave.tsx'

interface EditorSheetProps {
  title: string
  /** width in px */
  size: number
  saveLabel: string
  dirty: boolean
  /** saving: leaving loses nothing then */
  busy: boolean
  /** the server's error */
  failure: unknown
  /** note above the buttons */
  note?: ReactNode
  onSave: () => void
  onClose: () => void
  formRef?: Ref<HTMLFormElement>
  children: ReactNode
}

/**
 * A sheet on the right that edits an object: Ctrl/Cmd+S, and a confirmation before unsaved changes are lost.
 */
export function EditorSheet(props: EditorSheetProps) {
  const { dirty, busy, failure, onSave, onClose } = props
  const { t } = useTranslation()
  const { close, question } = useLeave(dirty && !busy, onClose)
  useHotkeys([['mod+S', onSave]], [])
  return (
    <Drawer
      opened
      onClose={close}
      position="right"
      size={props.size}
      title={props.title}
      classNames={{ content: classes.sheet ?? '' }}
    >
      <form
        {...(props.formRef ? { ref: props.formRef } : {})}
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          onSave()
        }}
      >
        <Stack gap="md">
          {props.children}
          {failure === undefined ? null : <ErrorText error={failure} />}
          {props.note}
          <div className={classes.sheetFoot}>
            <Button variant="default" onClick={close}>
              {t('common.cancel')}
            </Button>
            <Button type="submit" loading={busy}>
              {props.saveLabel}
            </Button>
          </div>
        </Stack>
      </form>
      {question}
    </Drawer>
  )
}
