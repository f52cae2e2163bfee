import type { BrandSettings } from '@leitstand/contract/branding'
import { Stack, Switch, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useTranslation } from 'react-i18next'
import fields from '../../../ui/forms/fields.module.css'
import { DetailTabs } from '../../../ui/page/DetailPage.tsx'
import { Section } from '../../../ui/page/Section.tsx'
import { LegalFields, type PageFieldsProps, TitleField, usePageField } from './PageFields.tsx'

interface TabProps {
  form: UseFormReturnType<BrandSettings>
}

/** Page title, footer and legal texts, for each language. */
export function PageTab({ form }: TabProps) {
  const { t } = useTranslation()
  return (
    <Section title={t('branding.tab.page')} description={t('branding.pageHint')}>
      <Stack gap="md">
        <Switch
          label={t('branding.field.showFooter')}
          {...form.getInputProps('showFooter', { type: 'checkbox' })}
        />
        <Switch
          label={t('branding.field.showVersion')}
          {...form.getInputProps('showVersion', { type: 'checkbox' })}
        />
        <Switch
          label={t('branding.field.publicManual')}
          {...form.getInputProps('publicManual', { type: 'checkbox' })}
        />
        <DetailTabs
          param="language"
          tabs={(['de', 'en'] as const).map((language) => ({
            key: language,
            label: t(`common.languages.${language}`),
            content: <PageFields form={form} language={language} />,
          }))}
        />
      </Stack>
    </Section>
  )
}

function PageFields(props: PageFieldsProps) {
  const field = usePageField(props)
  return (
    <div className={fields.fitted}>
      <TitleField {...props} />
      <TextInput {...field('copyright')} />
      <TextInput type="url" {...field('aboutUrl')} />
      <TextInput type="url" {...field('licencesUrl')} />
      <LegalFields {...props} />
    </div>
  )
}
