import { PasswordInput } from '@mantine/core'
import { IconCircle, IconCircleCheck } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { Icon } from '../../ui/display/Icon.tsx'
import classes from './auth.module.css'
import { type PasswordRules, rulesOf } from './rules.ts'

interface Entered {
  newPassword: string
  repeated: string
}

interface NewPasswordProps {
  policy: PasswordRules
  values: Entered
  onChange: (change: Partial<Entered>) => void
  /** to be shown now */
  faults: Partial<Record<string, string>>
}

/** A new password, entered twice, with rules that turn green while typing. */
export function NewPassword({ policy, values, onChange, faults }: NewPasswordProps) {
  const { t } = useTranslation()
  const show = { 'aria-label': t('auth.showPassword') }
  return (
    <>
      <PasswordInput
        label={t('password.new')}
        autoComplete="new-password"
        visibilityToggleButtonProps={show}
        value={values.newPassword}
        onChange={(event) => onChange({ newPassword: event.currentTarget.value })}
        error={faults.newPassword}
      />
      <ul className={classes.rules} aria-label={t('password.rules')}>
        {rulesOf(policy, values.newPassword).map(({ rule, met }) => (
          <li key={rule} className={classes.rule} data-met={met || undefined}>
            <Icon of={met ? IconCircleCheck : IconCircle} size={15} />
            {t(`password.rule.${rule}`, { count: policy.minLength })}
          </li>
        ))}
      </ul>
      <PasswordInput
        label={t('password.repeat')}
        autoComplete="new-password"
        visibilityToggleButtonProps={show}
        value={values.repeated}
        onChange={(event) => onChange({ repeated: event.currentTarget.value })}
        error={faults.repeated}
      />
    </>
  )
}
