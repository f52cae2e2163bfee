import type { Brand } from '@leitstand/contract/branding'
import type { FormErrors } from '@mantine/form'
import { useTranslation } from 'react-i18next'
import { useUrlSearch } from '../../../lib/url.ts'
import { FormLayout } from '../../../ui/forms/FormLayout.tsx'
import { DetailTabs } from '../../../ui/page/DetailPage.tsx'
import { DefaultsTab } from './DefaultsTab.tsx'
import { Elsewhere, elsewhereTabs } from './Elsewhere.tsx'
import { PageTab } from './PageTab.tsx'
import { Preview } from './Preview.tsx'
import { ThemeTab } from './ThemeTab.tsx'
import { tabOfField } from './tabs.ts'
import { useBrandForm } from './useBrandForm.ts'

interface BrandFormProps {
  accountId: number
  brand: Brand
}

/** The brand of one domain: one form over several tabs, beside it how it will look. */
export function BrandForm({ accountId, brand }: BrandFormProps) {
  const { t } = useTranslation()
  const [, update] = useUrlSearch()
  const { form, save, changed, whose } = useBrandForm(accountId, brand)
  // The first field with a fault may be on another tab.
  const showFault = (faults: FormErrors) => {
    const [field] = Object.keys(faults)
    if (field !== undefined) update(tabOfField(field))
  }
  const withPreview = (content: React.ReactNode) => (
    <Preview settings={form.values} images={brand.images}>
      {content}
    </Preview>
  )
  return (
    <FormLayout form={form} onSave={save} acrossTabs onFaults={showFault}>
      <DetailTabs
        tabs={[
          { key: 'defaults', label: t('branding.tab.defaults'), content: <DefaultsTab form={form} /> },
          { key: 'page', label: t('branding.tab.page'), content: withPreview(<PageTab form={form} />) },
          {
            key: 'theme',
            label: t('branding.tab.theme'),
            content: withPreview(
              <ThemeTab form={form} images={brand.images} whose={whose} onChanged={changed} />,
            ),
          },
          ...elsewhereTabs.map((key) => ({
            key,
            label: t(`branding.tab.${key}`),
            content: <Elsewhere accountId={accountId} what={key} />,
          })),
        ]}
      />
    </FormLayout>
  )
}
