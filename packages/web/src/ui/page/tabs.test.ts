import { expect, it } from 'vitest'
import { createSlot } from '../../lib/slot.ts'
import { type PageTab, withTabs } from './tabs.ts'

interface Props {
  editable: boolean
}

const own = ['states', 'data', 'uses'].map((key) => ({ key, label: key, content: null }))
const Content = () => null
const tab = (key: string, rest: Partial<PageTab<Props>> = {}): PageTab<Props> => ({
  key,
  label: `label.${key}`,
  Content,
  ...rest,
})
const slot = createSlot<PageTab<Props>>('tabs')
slot.fill([
  tab('health', { before: 'data' }),
  tab('downlinks', { before: 'data' }),
  tab('sso', { before: 'uses', isShown: (_, { editable }) => editable }),
  tab('rules', { isShown: (can) => can('DigitalTwin', 'read') }),
])

const keysFor = (props: Props, isAllowed: boolean) =>
  withTabs(own, slot, props, { t: ((key: string) => key) as never, can: () => isAllowed }).map(
    ({ key }) => key,
  )

it('puts the tabs of a slot before those they name, in their order, and the others at the end', () => {
  expect(keysFor({ editable: true }, true)).toEqual([
    ...['states', 'health', 'downlinks', 'data', 'sso', 'uses', 'rules'],
  ])
})

it('leaves out tabs without permission, or not for this object', () => {
  expect(keysFor({ editable: false }, false)).toEqual(['states', 'health', 'downlinks', 'data', 'uses'])
})
