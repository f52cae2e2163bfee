import { PasswordInput, SegmentedControl, Select, Stack, Switch, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useTranslation } from 'react-i18next'
import { TagInput } from '../../ui/forms/TagInput.tsx'
import { Section } from '../../ui/page/Section.tsx'
import classes from './sso.module.css'
import type { SsoKind, SsoValues } from './values.ts'

interface FieldsProps {
  form: UseFormReturnType<SsoValues>
  kind: SsoKind
}

/** Address of the provider, and Leitstand's credentials there. */
export function ProviderFields({ form, kind, hasSecret }: FieldsProps & { hasSecret: boolean }) {
  const { t } = useTranslation()
  const { mode, isPublic } = form.values
  const endpoints =
    kind === 'oauth2'
      ? (['authorization', 'token', 'userinfo'] as const)
      : (['issuer', 'authorization', 'token', 'jwks', 'userinfo'] as const)
  return (
    <Section id="sso-provider" title={t('sso.section.provider')} description={t(`sso.providerHint.${kind}`)}>
      <Stack gap="md">
        {kind === 'oidc' ? (
          <SegmentedControl
            aria-label={t('sso.mode.label')}
            data={(['discovery', 'endpoints'] as const).map((value) => ({
              value,
              label: t(`sso.mode.${value}`),
            }))}
            value={mode}
            onChange={(value) =>
              form.setFieldValue('mode', value === 'endpoints' ? 'endpoints' : 'discovery')
            }
          />
        ) : null}
        <div className={classes.fields}>
          {kind === 'oidc' && mode === 'discovery' ? (
            <TextInput
              className={classes.wide ?? ''}
              label={t('sso.field.discoveryUrl')}
              description={t('sso.discoveryHint')}
              placeholder="https://id.example.org/realms/stadt"
              inputMode="url"
              required
              {...form.getInputProps('discoveryUrl')}
            />
          ) : (
            endpoints.map((name) => (
              <TextInput
                key={name}
                label={t(`sso.field.${name}`)}
                inputMode="url"
                required={kind === 'oauth2' || name !== 'userinfo'}
                {...form.getInputProps(name)}
              />
            ))
          )}
        </div>
        <div className={classes.fields}>
          <TextInput
            label={t('sso.field.clientId')}
            autoComplete="off"
            required
            {...form.getInputProps('clientId')}
          />
          <PasswordInput
            label={t('sso.field.clientSecret')}
            description={hasSecret && !isPublic ? t('sso.secretStays') : undefined}
            autoComplete="new-password"
            visibilityToggleButtonProps={{ 'aria-label': t('sso.showSecret') }}
            disabled={isPublic}
            required={!hasSecret && !isPublic}
            {...form.getInputProps('clientSecret')}
          />
          <Select
            label={t('sso.field.clientAuth')}
            data={(['basic', 'post'] as const).map((value) => ({
              value,
              label: t(`sso.clientAuth.${value}`),
            }))}
            allowDeselect={false}
            disabled={isPublic}
            {...form.getInputProps('clientAuth')}
          />
          <Switch
            label={t('sso.field.isPublic')}
            description={t('sso.isPublicHint')}
            {...form.getInputProps('isPublic', { type: 'checkbox' })}
          />
          <TagInput
            label={t('sso.field.scopes')}
            value={form.values.scopes}
            onChange={(scopes) => form.setFieldValue('scopes', scopes)}
            error={form.errors.scopes}
          />
        </div>
      </Stack>
    </Section>
  )
}

/** Maps the provider's claims to user fields. */
export function ClaimFields({ form, kind }: FieldsProps) {
  const { t } = useTranslation()
  const names = ['email', 'emailVerified', 'firstName', 'lastName'] as const
  return (
    <Section id="sso-claims" title={t('sso.section.claims')} description={t('sso.claimsHint')}>
      <div className={classes.fields}>
        {(kind === 'oauth2' ? (['id', ...names] as const) : names).map((name) => (
          <TextInput
            key={name}
            label={t(`sso.field.${name}`)}
            spellCheck={false}
            required
            {...form.getInputProps(name)}
          />
        ))}
      </div>
    </Section>
  )
}
