import { Alert, Button, Group, NumberInput, PasswordInput, Text, TextInput } from '@mantine/core'
import { IconInfoCircle } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { Icon } from '../../../../../ui/display/Icon.tsx'
import { Section } from '../../../../../ui/page/Section.tsx'
import formClasses from '../../../drivers.module.css'
import type { EditorProps } from '../types.ts'

/** Address, timeout and token of the external parser. */
export function UrlEditor({ form, hasToken, readOnly }: EditorProps) {
  const { t } = useTranslation()
  const { parserSecret } = form.getValues()
  return (
    <Section title={t('drivers.url.title')}>
      <fieldset disabled={readOnly} className={formClasses.bare}>
        <div className={formClasses.fields}>
          <TextInput
            className={formClasses.wide ?? ''}
            label={t('drivers.url.address')}
            placeholder="https://parser.example.org/decode"
            type="url"
            required
            {...form.getInputProps('parser.url')}
          />
          <NumberInput
            label={t('drivers.url.timeout')}
            description={t('drivers.url.timeoutHint')}
            min={100}
            max={3000}
            step={100}
            clampBehavior="none"
            allowDecimal={false}
            {...form.getInputProps('parser.timeoutMs')}
          />
          <NumberInput
            label={t('drivers.url.retries')}
            description={t('drivers.url.retriesHint')}
            min={0}
            max={2}
            clampBehavior="none"
            allowDecimal={false}
            {...form.getInputProps('parser.retries')}
          />
          <PasswordInput
            className={formClasses.wide ?? ''}
            label={t('drivers.url.token')}
            description={t('drivers.url.tokenHint')}
            placeholder={t(
              parserSecret === null || !hasToken ? 'drivers.url.tokenNone' : 'drivers.url.tokenStored',
            )}
            autoComplete="off"
            value={parserSecret ?? ''}
            onChange={(event) => form.setFieldValue('parserSecret', event.currentTarget.value)}
          />
        </div>
        {hasToken && parserSecret === '' ? (
          <Group justify="flex-end">
            <Button
              size="compact-sm"
              variant="subtle"
              onClick={() => form.setFieldValue('parserSecret', null)}
            >
              {t('drivers.url.tokenRemove')}
            </Button>
          </Group>
        ) : null}
      </fieldset>
      <Alert variant="light" color="gray" mt="md" icon={<Icon of={IconInfoCircle} />}>
        <Text size="sm">{t('drivers.url.text')}</Text>
      </Alert>
    </Section>
  )
}
