import { Button, Group, Stepper, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ErrorText } from '../feedback/ErrorText.tsx'
import classes from '../page/layout.module.css'
import { useLeave } from './useLeave.tsx'

export interface WizardStep {
  key: string
  label: string
  description?: string
  content: ReactNode
  /** Validates the input before the next step; false (or a rejected promise, whose error is shown) stays. */
  validate?: () => boolean | Promise<boolean>
}

interface WizardProps {
  /** The last step should show what will happen. */
  steps: readonly WizardStep[]
  finishLabel: string
  onFinish: () => Promise<void>
  onCancel: () => void
  /** There is unsaved input: leaving asks first. */
  dirty?: boolean
  /** the first step shown, for input that was begun before */
  start?: number
  /** The last step deletes something permanently. */
  dangerous?: boolean
}

/**
 * Several steps to one goal. The caller owns the fields' state, so that going back keeps the input; earlier
 * steps can be opened by a click, later ones only after validation.
 */
export function Wizard({
  steps,
  finishLabel,
  onFinish,
  onCancel,
  dirty = false,
  start = 0,
  dangerous = false,
}: WizardProps) {
  const { t } = useTranslation()
  const [active, setActive] = useState(start)
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<unknown>(undefined)
  // While it finishes, leaving loses nothing.
  const { close, question } = useLeave(dirty && !busy, onCancel)
  const step = steps[active]
  const last = active === steps.length - 1

  const forward = async () => {
    setBusy(true)
    setFailure(undefined)
    try {
      if (step?.validate && !(await step.validate())) return
      if (last) await onFinish()
      else setActive(active + 1)
    } catch (error) {
      setFailure(error)
    } finally {
      setBusy(false)
    }
  }

  return (
    <div>
      <Stepper
        active={active}
        onStepClick={(index) => (index < active ? setActive(index) : undefined)}
        allowNextStepsSelect={false}
        size="sm"
        iconSize={28}
        visibleFrom="xs"
      >
        {steps.map((each) => (
          <Stepper.Step key={each.key} label={each.label} description={each.description} />
        ))}
      </Stepper>
      <Text hiddenFrom="xs" size="sm" c="dimmed">
        {t('wizard.step', { current: active + 1, total: steps.length })} · {step?.label}
      </Text>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          // In a dialog it may be nested in a page's form, which must not be submitted.
          event.stopPropagation()
          if (!busy) void forward()
        }}
      >
        <div className={classes.wizardBody}>{step?.content}</div>
        {failure === undefined ? null : <ErrorText error={failure} />}
        {/* If they wrap, the forward button is on the first line. */}
        <Group justify="space-between" className={classes.wizardFoot ?? ''}>
          <Button variant="subtle" color="gray" onClick={close}>
            {t('common.cancel')}
          </Button>
          <Group gap={8} ml="auto">
            <Button variant="default" disabled={active === 0 || busy} onClick={() => setActive(active - 1)}>
              {t('common.back')}
            </Button>
            <Button type="submit" loading={busy} {...(last && dangerous ? { color: 'red' } : {})}>
              {last ? finishLabel : t('common.next')}
            </Button>
          </Group>
        </Group>
      </form>
      {question}
    </div>
  )
}
