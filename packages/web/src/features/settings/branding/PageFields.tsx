import { type BrandLanguage, type BrandSettings, defaultPageTitle } from '@leitstand/contract/branding'
import { Textarea, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { Fragment } from 'react'
import { useTranslation } from 'react-i18next'
import fields from '../../../ui/forms/fields.module.css'

export interface PageFieldsProps {
  form: UseFormReturnType<BrandSettings>
  language: BrandLanguage
}

/** The input properties of a text of one language. */
export function usePageField({ form, language }: PageFieldsProps) {
  const { t } = useTranslation()
  return (name: keyof BrandSettings['pages']['de']) => ({
    label: t(`branding.field.${name}`),
    ...form.getInputProps(`pages.${language}.${name}`),
  })
}

export function TitleField(props: PageFieldsProps) {
  const { t } = useTranslation()
  const field = usePageField(props)
  return (
    <TextInput placeholder={defaultPageTitle} description={t('branding.titleHint')} {...field('title')} />
  )
}

/** Each is a link to a page elsewhere, or a text that is shown here. */
const legalPages = ['imprint', 'privacy'] as const

/** Imprint and data protection. */
export function LegalFields(props: PageFieldsProps) {
  const { t } = useTranslation()
  const field = usePageField(props)
  const { form, language } = props
  return legalPages.map((page) => (
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
  ))
}
