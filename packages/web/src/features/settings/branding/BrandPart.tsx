import { type Brand, brandLanguages } from '@leitstand/contract/branding'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../../../lib/api.ts'
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../../ui/feedback/Loading.tsx'
import { FormLayout } from '../../../ui/forms/FormLayout.tsx'
import fields from '../../../ui/forms/fields.module.css'
import { Section } from '../../../ui/page/Section.tsx'
import { LegalFields, TitleField } from './PageFields.tsx'
import { useBrandForm } from './useBrandForm.ts'

interface BrandPartProps {
  /** the topmost account */
  accountId: number
  /** the name of the installation, or imprint and data protection */
  part: 'name' | 'legal'
  onSaved: () => Promise<unknown>
}

/** A part of the brand that is shown under all addresses that no account has proven, in both languages. */
export default function BrandPart({ accountId, ...props }: BrandPartProps) {
  const brands = useQuery(api.brand.list.queryOptions({ input: { id: accountId } }))
  if (brands.isError && !brands.data)
    return <ErrorState error={brands.error} onRetry={() => void brands.refetch()} />
  const brand = brands.data?.items.find(({ domain }) => domain === '')
  if (!brand) return <Loading lines={5} />
  return <PartForm accountId={accountId} brand={brand} {...props} />
}

function PartForm({ accountId, brand, part, onSaved }: BrandPartProps & { brand: Brand }) {
  const { t } = useTranslation()
  const { form, save } = useBrandForm(accountId, brand)
  const Fields = part === 'name' ? TitleField : LegalFields
  return (
    <FormLayout
      form={form}
      onSave={async (settings) => {
        await save(settings)
        await onSaved()
      }}
    >
      {brandLanguages.map((language) => (
        <Section key={language} title={t(`common.languages.${language}`)}>
          <div className={fields.fitted}>
            <Fields form={form} language={language} />
          </div>
        </Section>
      ))}
    </FormLayout>
  )
}
