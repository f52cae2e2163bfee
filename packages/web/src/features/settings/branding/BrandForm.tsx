import { type Brand, BrandSettings } from '@leitstand/contract/branding'
import type { FormErrors } from '@mantine/form'
import { useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../../lib/api.ts'
import { useUrlSearch } from '../../../lib/url.ts'
import { check } from '../../../lib/validation.ts'
import { notifySuccess } from '../../../ui/feedback/notify.ts'
import { FormLayout } from '../../../ui/forms/FormLayout.tsx'
import { useCheckedForm } from '../../../ui/forms/useCheckedForm.ts'
import { useSyncedForm } from '../../../ui/forms/useSyncedForm.ts'
import { DetailTabs } from '../../../ui/page/DetailPage.tsx'
import { DefaultsTab } from './DefaultsTab.tsx'
import { Elsewhere, elsewhereTabs } from './Elsewhere.tsx'
import { PageTab } from './PageTab.tsx'
import { Preview } from './Preview.tsx'
import { refreshBrand } from './refreshBrand.ts'
import { ThemeTab } from './ThemeTab.tsx'
import { tabOfField } from './tabs.ts'

const checkBrand = check(BrandSettings)
const settingsOf = ({ settings }: Brand): BrandSettings => settings

interface BrandFormProps {
  accountId: number
  brand: Brand
}

/** The brand of one domain: one form over several tabs, beside it how it will look. */
export function BrandForm({ accountId, brand }: BrandFormProps) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const [, update] = useUrlSearch()
  const form = useCheckedForm<BrandSettings>({ initialValues: brand.settings, validate: checkBrand })
  const { version, accept } = useSyncedForm(form, brand, settingsOf)
  const whose = { id: accountId, domain: brand.domain }
  const changed = async () => {
    await cache.invalidateQueries({ queryKey: api.brand.key() })
    await refreshBrand()
  }
  const save = async (settings: BrandSettings) => {
    accept(await client.brand.save({ ...whose, version, settings }))
    notifySuccess(t('branding.savedNote'))
    await changed()
  }
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
