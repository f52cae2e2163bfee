import { type BrandLanguage, type BrandSettings, defaultPageTitle } from '@leitstand/contract/branding'
import { Stack, Switch, Textarea, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { Fragment } from 'react'
import { useTranslation } from 'react-i18next'
import fields from '../../../ui/forms/fields.module.css'
import { DetailTabs } from '../../../ui/page/DetailPage.tsx'
import { Section } from '../../../ui/page/Section.tsx'

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

/** Each is a link to a page elsewhere, or a text that is shown here. */
const legalPages = ['imprint', 'privacy'] as const

function PageFields({ form, language }: TabProps & { language: BrandLanguage }) {
  const { t } = useTranslation()
  const field = (name: keyof BrandSettings['pages']['de']) => ({
    label: t(`branding.field.${name}`),
    ...form.getInputProps(`pages.${language}.${name}`),
  })
  return (
    <div className={fields.fitted}>
      <TextInput placeholder={defaultPageTitle} description={t('branding.titleHint')} {...field('title')} />
      <TextInput {...field('copyright')} />
      <TextInput type="url" {...field('aboutUrl')} />
      <TextInput type="url" {...field('licencesUrl')} />
      {legalPages.map((page) => (
        <Fragment key={page}>
          <TextInput
            type="url"
            description={t('branding.linkHint')}
            className={fields.wide ?? ''}
            {...field(`${page}Url`)}
          />
          <Textarea
            autosize
            minRows={3}
            maxRows={14}
            description={t('branding.textHint')}
            className={fields.wide ?? ''}
            disabled={form.values.pages[language][`${page}Url`].trim() !== ''}
            {...field(`${page}Text`)}
          />
        </Fragment>
      ))}
    </div>
  )
}
