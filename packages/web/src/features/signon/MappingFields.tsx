import { Button, Group, Select, Stack, Switch, Text, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { IconPlus, IconX } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { below } from '../../ui/accounts/accountTree.ts'
import { useRoleChoices } from '../../ui/accounts/roles.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import { ErrorText } from '../../ui/feedback/ErrorText.tsx'
import { RemoveButton } from '../../ui/forms/RemoveButton.tsx'
import { Section } from '../../ui/page/Section.tsx'
import { scopeChoices } from '../rights/index.ts'
import classes from './sso.module.css'
import type { MappingLine, SsoValues } from './values.ts'

const linesMax = 100

interface Choice {
  value: string
  label: string
}

/** Assigns roles by the provider's claims. */
export function MappingFields({
  form,
  accountId,
}: {
  form: UseFormReturnType<SsoValues>
  accountId: number
}) {
  const { t } = useTranslation()
  const scopes = useQuery(api.acl.listScopes.queryOptions())
  const roles = useRoleChoices()
  const tenants = useQuery(api.tenant.fetchAll.queryOptions())
  const failed = scopes.error ?? roles.error ?? tenants.error
  const own = new Set(below(tenants.data?.items ?? [], accountId))
  const inAccount = (scopes.data?.items ?? []).filter((scope) => own.has(scope.accountId))
  const choices = scopeChoices(inAccount)
  const roleChoices = roles.choices ?? []
  const { mappings } = form.values
  const change = (key: number, part: Partial<MappingLine>) =>
    form.setFieldValue(
      'mappings',
      mappings.map((line) => (line.key === key ? { ...line, ...part } : line)),
    )
  const add = () => {
    const key = Math.max(-1, ...mappings.map((line) => line.key)) + 1
    const last = mappings.at(-1)
    const scopeId = last?.scopeId ?? form.values.fallbackScope
    form.setFieldValue('mappings', [
      ...mappings,
      { key, claim: last?.claim ?? '', value: '', scopeId, roleId: null },
    ])
  }
  return (
    <Section id="sso-roles" title={t('sso.section.roles')} description={t('sso.rolesHint')}>
      <Stack gap="md">
        {failed ? <ErrorText error={failed} /> : null}
        {mappings.map((line, index) => (
          <Line
            key={line.key}
            line={line}
            index={index}
            scopeChoices={choices}
            roleChoices={roleChoices}
            errorAt={(name) => form.errors[`mappings.${index}.${name}`]}
            onChange={(part) => change(line.key, part)}
            onRemove={() =>
              form.setFieldValue(
                'mappings',
                mappings.filter((one) => one.key !== line.key),
              )
            }
          />
        ))}
        {mappings.length >= linesMax ? null : (
          <div>
            <Button
              variant="default"
              size="compact-md"
              leftSection={<Icon of={IconPlus} size={16} />}
              onClick={add}
            >
              {t('sso.addMapping')}
            </Button>
          </div>
        )}
        <div>
          <Text size="sm" fw={550} mb={6}>
            {t('sso.fallback')}
          </Text>
          <Group gap={8} align="flex-start">
            <Select
              aria-label={t('sso.fallbackRole')}
              placeholder={t('sso.fallbackNone')}
              data={roleChoices}
              clearable
              searchable
              clearButtonProps={{ 'aria-label': t('sso.fallbackNone') }}
              nothingFoundMessage={t('common.nothingFound')}
              {...form.getInputProps('fallbackRole')}
            />
            {form.values.fallbackRole === null ? null : (
              <Select
                aria-label={t('sso.fallbackScope')}
                data={choices}
                searchable
                allowDeselect={false}
                nothingFoundMessage={t('common.nothingFound')}
                {...form.getInputProps('fallbackScope')}
              />
            )}
          </Group>
        </div>
        <Switch
          label={t('sso.field.mapEveryTime')}
          description={t('sso.mapEveryTimeHint')}
          {...form.getInputProps('mapEveryTime', { type: 'checkbox' })}
        />
      </Stack>
    </Section>
  )
}

interface LineProps {
  line: MappingLine
  index: number
  scopeChoices: Choice[]
  roleChoices: Choice[]
  errorAt: (name: string) => React.ReactNode
  onChange: (part: Partial<MappingLine>) => void
  onRemove: () => void
}

function Line({ line, index, scopeChoices, roleChoices, errorAt, onChange, onRemove }: LineProps) {
  const { t } = useTranslation()
  return (
    <fieldset className={classes.line} aria-label={t('sso.mapping', { number: index + 1 })}>
      <TextInput
        aria-label={t('sso.mappingClaim')}
        placeholder={t('sso.mappingClaim')}
        value={line.claim}
        error={errorAt('claim')}
        spellCheck={false}
        onChange={(event) => onChange({ claim: event.currentTarget.value })}
      />
      <TextInput
        aria-label={t('sso.mappingValue')}
        placeholder={t('sso.mappingValue')}
        value={line.value}
        error={errorAt('value')}
        spellCheck={false}
        onChange={(event) => onChange({ value: event.currentTarget.value })}
      />
      <Select
        aria-label={t('sso.mappingScope')}
        placeholder={t('sso.mappingScope')}
        data={scopeChoices}
        value={line.scopeId}
        error={errorAt('scopeId')}
        searchable
        nothingFoundMessage={t('common.nothingFound')}
        onChange={(scopeId) => onChange({ scopeId })}
      />
      <Select
        aria-label={t('sso.mappingRole')}
        placeholder={t('sso.mappingRole')}
        data={roleChoices}
        value={line.roleId}
        error={errorAt('roleId')}
        searchable
        nothingFoundMessage={t('common.nothingFound')}
        onChange={(roleId) => onChange({ roleId })}
      />
      <RemoveButton
        icon={IconX}
        label={t('sso.removeMapping', { number: index + 1 })}
        size={36}
        onClick={onRemove}
      />
    </fieldset>
  )
}
