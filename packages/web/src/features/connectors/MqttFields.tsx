import { PasswordInput, TagsInput, Text, TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import classes from './connectors.module.css'
import type { FormProps } from './kinds/types.ts'
import { settingsOf } from './settings.ts'

/** Fields of the kinds that speak MQTT. */

/** User name and password. */
export function Credentials({ form, isNew, required = false }: FormProps & { required?: boolean }) {
  const { t } = useTranslation()
  return (
    <>
      <TextInput
        label={t('connectors.field.username')}
        required={required}
        autoComplete="off"
        {...form.getInputProps('settings.username')}
      />
      <PasswordInput
        label={t('connectors.field.password')}
        required={required && isNew}
        placeholder={isNew ? '' : t('connectors.passwordKept')}
        autoComplete="new-password"
        visibilityToggleButtonProps={{ 'aria-label': t('auth.showPassword') }}
        {...form.getInputProps('settings.password')}
      />
    </>
  )
}

/** A list of topic filters. */
export function TopicsField({
  form,
  name,
  description,
  required = false,
}: FormProps & {
  name: 'publishTopics' | 'subscribeTopics' | 'topics'
  description: string
  required?: boolean
}) {
  const { t } = useTranslation()
  const errors = Object.entries(form.errors).filter(([path]) => path.startsWith(`settings.${name}`))
  return (
    <TagsInput
      className={classes.wide ?? ''}
      label={t(`connectors.field.${name}`)}
      description={description}
      required={required}
      placeholder={t('connectors.topicPlaceholder')}
      acceptValueOnBlur
      splitChars={[',', ' ']}
      value={settingsOf<Record<typeof name, string[]>>(form)[name]}
      onChange={(topics) => form.setFieldValue(`settings.${name}`, topics)}
      error={errors[0]?.[1]}
    />
  )
}

/** Note that the console does not know the password in the command. */
export function PasswordNote() {
  const { t } = useTranslation()
  return (
    <Text size="sm" c="dimmed" mt="xs">
      {t('devices.send.password')}
    </Text>
  )
}
