import { ObjectFields, type TwinSummary, TwinType } from '@leitstand/contract/twins'
import { Button, Group, Modal, Select, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { Suspense, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import * as z from 'zod'
import { client } from '../../lib/api.ts'
import { formatNumber } from '../../lib/format.ts'
import { onDemand } from '../../lib/onDemand.ts'
import { useSession } from '../../lib/session.ts'
import { check } from '../../lib/validation.ts'
import { useAccounts } from '../../ui/accounts/AccountFilter.tsx'
import { accountTree } from '../../ui/accounts/accountTree.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import { ErrorText } from '../../ui/feedback/ErrorText.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { notifySuccess } from '../../ui/feedback/notify.ts'
import { EntityPicker } from '../../ui/forms/EntityPicker.tsx'
import { applyFieldIssues } from '../../ui/forms/FormLayout.tsx'
import { useCheckedForm } from '../../ui/forms/useCheckedForm.ts'
import { useLeave } from '../../ui/forms/useLeave.tsx'
import { type AreaValues, areaError, areaFaults } from './area/areaValues.ts'
import { twinPath, twinTypeNames, typeIcons } from './kinds.ts'
import { AddressLookup } from './masterData/AddressLookup.tsx'
import { findTwins, nameTwin, useTwinsChanged } from './queries.ts'

const AreaFields = onDemand(() => import('./area/AreaFields.tsx'))

interface Values extends Record<string, unknown> {
  title: string
  type: TwinType
  parentId: string | null
  accountId: string | null
  address: string
  description: string
  latitude: number | null
  longitude: number | null
  geoPolygon: AreaValues['geoPolygon']
  areaText: string | null
}

const { title, address, description } = ObjectFields
const faultsOf = check(z.object({ title, address, description, type: TwinType }))

/** Dialog that creates a twin: below a parent, or at the top of an account. Opens the new twin afterwards. */
export function CreateTwin(props: {
  parent?: Pick<TwinSummary, 'id' | 'title' | 'accountId'> &
    Partial<Pick<TwinSummary, 'latitude' | 'longitude'>>
  onClose: () => void
}) {
  const { parent, onClose } = props
  const { t } = useTranslation()
  const navigate = useNavigate()
  const changed = useTwinsChanged()
  const accounts = useAccounts()
  const session = useSession()
  const [failure, setFailure] = useState<unknown>(undefined)
  const [busy, setBusy] = useState(false)
  const ownAccount = session.status === 'user' ? session.tenantId : null
  const form = useCheckedForm<Values>({
    initialValues: {
      title: '',
      type: 'default',
      parentId: parent ? String(parent.id) : null,
      accountId: ownAccount === null ? null : String(ownAccount),
      address: '',
      description: '',
      latitude: null,
      longitude: null,
      geoPolygon: null,
      areaText: null,
    },
    validate: (values) => ({
      ...faultsOf(values),
      ...(values.type === 'zone' ? areaFaults(values) : {}),
      ...(values.parentId === null && values.accountId === null
        ? { accountId: t('twins.parentOrAccount') }
        : {}),
    }),
  })
  const { close, question } = useLeave(form.isDirty() && !busy, onClose)
  const submit = form.onSubmit(async (values) => {
    setBusy(true)
    setFailure(undefined)
    try {
      const twin = await client.digitaltwin.create({
        title: values.title,
        type: values.type,
        address: values.address,
        description: values.description,
        latitude: values.latitude,
        longitude: values.longitude,
        ...(values.type === 'zone' ? { geoPolygon: values.geoPolygon } : {}),
        ...(values.parentId === null
          ? { accountId: Number(values.accountId) }
          : { parentId: Number(values.parentId) }),
      })
      notifySuccess(t('twins.created', { title: twin.title }))
      await changed()
      onClose()
      await navigate({ to: twinPath(twin.id) })
    } catch (error) {
      if (applyFieldIssues(form, error)) setFailure(error)
      setBusy(false)
    }
  })
  const { latitude, longitude } = form.values
  const position = useMemo(
    () => (latitude === null || longitude === null ? null : { latitude, longitude }),
    [latitude, longitude],
  )
  const { latitude: north = null, longitude: east = null } = parent ?? {}
  const parentPlace = north === null || east === null ? null : { latitude: north, longitude: east }
  const tree = accountTree(accounts.data?.items ?? [])
  return (
    <Modal opened onClose={close} title={t('twins.createTitle')} size="lg">
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <TextInput label={t('twins.title')} required data-autofocus {...form.getInputProps('title')} />
          <SimpleGrid cols={{ base: 1, xs: 2 }}>
            <Select
              label={t('twins.type')}
              data={twinTypeNames.map((type) => ({ value: type, label: t(`twins.types.${type}`) }))}
              leftSection={<Icon of={typeIcons[form.getValues().type]} />}
              allowDeselect={false}
              key={form.key('type')}
              {...form.getInputProps('type')}
            />
            <EntityPicker
              label={t('twins.parent')}
              placeholder={t('twins.noParent')}
              value={form.values.parentId}
              onChange={(value) => form.setFieldValue('parentId', value)}
              load={findTwins}
              labelOf={nameTwin}
            />
          </SimpleGrid>
          {form.values.parentId === null ? (
            <Select
              label={t('twins.account')}
              description={t('twins.accountHint')}
              required
              searchable
              data={tree.map(({ account, depth }) => ({
                value: String(account.id),
                label: `${'\u2003'.repeat(depth)}${account.name}`,
              }))}
              {...form.getInputProps('accountId')}
            />
          ) : null}
          <TextInput
            label={t('twins.address')}
            description={
              position
                ? t('geocoder.position', {
                    latitude: formatNumber(position.latitude, 5),
                    longitude: formatNumber(position.longitude, 5),
                  })
                : undefined
            }
            rightSection={
              <AddressLookup
                address={form.values.address}
                position={position}
                onChoose={({ address, latitude, longitude }) =>
                  form.setValues({ address, latitude, longitude })
                }
              />
            }
            {...form.getInputProps('address')}
          />
          <TextInput label={t('twins.description')} {...form.getInputProps('description')} />
          {form.values.type === 'zone' ? (
            <Suspense fallback={<Loading lines={8} />}>
              <AreaFields
                value={{ geoPolygon: form.values.geoPolygon, areaText: form.values.areaText }}
                onChange={(area) => form.setValues({ ...area })}
                position={position}
                onPosition={(place) => form.setValues({ ...place })}
                title={form.values.title}
                around={parentPlace}
                edited
                required
                error={areaError(form.errors) as string | undefined}
              />
            </Suspense>
          ) : null}
          <Text size="xs" c="dimmed">
            {t('twins.createHint')}
          </Text>
          {failure === undefined ? null : <ErrorText error={failure} />}
          <Group justify="flex-end" gap={8}>
            <Button variant="default" onClick={close}>
              {t('common.cancel')}
            </Button>
            <Button type="submit" loading={busy}>
              {t('twins.create')}
            </Button>
          </Group>
        </Stack>
      </form>
      {question}
    </Modal>
  )
}
