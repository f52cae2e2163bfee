import { Button, Group, Text } from '@mantine/core'
import type { FormErrors, UseFormReturnType } from '@mantine/form'
import { useHotkeys } from '@mantine/hooks'
import { IconDeviceFloppy } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Icon } from '../display/Icon.tsx'
import { ErrorText } from '../feedback/ErrorText.tsx'
import { isDialogOpen } from '../feedback/onTop.ts'
import classes from '../page/layout.module.css'
import { focusFirstFault } from './focusFirstFault.ts'
import { placeError } from './placeError.ts'
import { useUnsavedGuard } from './useLeave.tsx'

interface FormLayoutProps<Values extends Record<string, unknown>> {
  form: UseFormReturnType<Values>
  /**
   * Stores the values. If it throws, server errors are shown at their fields and the rest above the buttons.
   * False means that nothing was stored (the user cancelled a question): the form stays unchanged.
   */
  onSave: (values: Values) => Promise<unknown>
  children: ReactNode
  /**
   * `bar`: a save bar that appears after the first change (editing). `always`: buttons below the form
   * (creating).
   */
  mode?: 'bar' | 'always'
  saveLabel?: string
  /** more to say about the change, beside the buttons */
  saveFields?: ReactNode
  onCancel?: () => void
  /** The form spans the page's tabs, so that changing the tab loses nothing and needs no confirmation. */
  acrossTabs?: boolean
  /**
   * Called with the errors by field when a save fails validation; shows the first one if it is out of view.
   */
  onFaults?: (faults: FormErrors) => void
}

/**
 * A form on a page: save bar, Ctrl/Cmd+S, a confirmation before unsaved changes are lost, server errors at
 * their fields. The form comes from `useCheckedForm`.
 */
export function FormLayout<Values extends Record<string, unknown>>(props: FormLayoutProps<Values>) {
  const { form, mode = 'bar', onCancel } = props
  const { t } = useTranslation()
  const [saving, setSaving] = useState(false)
  const [failure, setFailure] = useState<unknown>(undefined)
  const dirty = form.isDirty()

  const save = async (values: Values) => {
    setSaving(true)
    setFailure(undefined)
    try {
      if ((await props.onSave(values)) !== false) form.resetDirty()
    } catch (error) {
      const unplaced = applyFieldIssues(form, error)
      setFailure(unplaced ? error : undefined)
    } finally {
      setSaving(false)
    }
  }
  const submit = form.onSubmit(save, (faults) => {
    props.onFaults?.(faults)
    focusFirstFault()
  })
  const saveByKey = () => {
    // A sheet or dialog above the page has its own form; do not save the one behind it.
    if (isDialogOpen()) return
    if (dirty || mode === 'always') submit()
  }

  // Also inside the code editor, which is an editable element.
  useHotkeys([['mod+S', saveByKey]], [], true)
  const guard = useUnsavedGuard(dirty && !saving, props.acrossTabs)

  const fields = <div className={classes.formGrid}>{props.children}</div>
  return (
    <>
      {/* A form over several tabs contains other fields, too; Enter in them must not save. */}
      {props.acrossTabs ? fields : null}
      <form onSubmit={submit} noValidate style={{ display: 'contents' }}>
        {props.acrossTabs ? null : fields}
        {mode === 'always' || dirty || failure !== undefined ? (
          <div
            className={mode === 'bar' ? classes.saveBar : undefined}
            style={mode === 'always' ? { marginTop: 20 } : undefined}
          >
            {failure === undefined ? (
              <Text size="sm" c="dimmed">
                {mode === 'bar' ? t('form.unsaved') : ''}
              </Text>
            ) : (
              <ErrorText error={failure} />
            )}
            {props.saveFields}
            <Group gap={8} mt={mode === 'always' ? 'sm' : 0}>
              <Button
                variant="default"
                disabled={saving}
                onClick={() => {
                  setFailure(undefined)
                  if (onCancel) onCancel()
                  else form.reset()
                }}
              >
                {mode === 'bar' ? t('form.discard') : t('common.cancel')}
              </Button>
              <Button type="submit" loading={saving} leftSection={<Icon of={IconDeviceFloppy} />}>
                {props.saveLabel ?? t('common.save')}
              </Button>
            </Group>
          </div>
        ) : null}
      </form>
      {guard}
    </>
  )
}

/**
 * Shows server errors at their fields.
 * @returns whether any error has no visible field
 */
export function applyFieldIssues<Values extends Record<string, unknown>>(
  form: UseFormReturnType<Values>,
  error: unknown,
): boolean {
  const { placed, isLeft } = placeError(error, form.getValues())
  if (Object.keys(placed).length > 0) {
    form.setErrors(placed)
    focusFirstFault()
  }
  return isLeft
}
