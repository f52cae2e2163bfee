import { PasswordInput } from '@mantine/core'
import { IconCircle, IconCircleCheck } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { Icon } from '../../ui/display/Icon.tsx'
import classes from './auth.module.css'
import { type PasswordRules, rulesOf } from './rules.ts'

interface NewPasswordProps {
  policy: PasswordRules
  value: string
  repeated: string
  onChange: (value: string) => void
  onRepeat: (value: string) => void
  /** Shows what is missing; before the first try, only what is already wrong. */
  tried: boolean
}

/** A new password, entered twice, with rules that turn green while typing. */
export function NewPassword({ policy, value, repeated, onChange, onRepeat, tried }: NewPasswordProps) {
  const { t } = useTranslation()
  const differs = value !== repeated && (tried || repeated.length >= value.length) && repeated !== ''
  const show = { 'aria-label': t('auth.showPassword') }
  return (
    <>
      <PasswordInput
        label={t('password.new')}
        autoComplete="new-password"
        visibilityToggleButtonProps={show}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        error={tried && value === '' ? t('validation.required') : null}
      />
      <ul className={classes.rules} aria-label={t('password.rules')}>
        {rulesOf(policy, value).map(({ rule, met }) => (
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
        value={repeated}
        onChange={(event) => onRepeat(event.currentTarget.value)}
        error={differs || (tried && repeated !== value) ? t('password.differs') : null}
      />
    </>
  )
}
