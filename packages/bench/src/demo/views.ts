import type { WidgetDefinition } from '@leitstand/contract/dashboards'
import type { Condition, RuleAction } from '@leitstand/contract/rules'

type Find = (title: string, key: string) => number
type Definition = Pick<WidgetDefinition, 'type' | 'title' | 'size'> & Partial<Record<string, unknown>>

const size = (columns: number, minHeightPx = 300) => ({ columns, minHeightPx })
const classRooms = ['Klasse 1a', 'Klasse 1b', 'Klasse 2a', 'Klasse 2b']

/** The two dashboards of the demo city. */
export function dashboards(find: Find, twin: (title: string) => number) {
  const climate: Definition[] = [
    {
      type: 'value',
      title: 'Auf einen Blick',
      size: size(12, 150),
      valueOptions: {
        stateIds: [
          find('Rathaus', 'temperature'),
          find('Rathaus', 'co2_max'),
          find('Grundschule am Park', 'temperature'),
          find('Grundschule am Park', 'co2_max'),
          find('Rathaus', 'water'),
        ],
      },
    },
    {
      type: 'chart',
      title: 'CO₂ in den Klassen',
      size: size(8, 340),
      chartOptions: {
        kind: 'line',
        stateIds: classRooms.map((room) => find(room, 'co2')),
        smooth: true,
        thresholds: [{ value: 1000, label: 'Lüften' }],
      },
    },
    {
      type: 'chart',
      title: 'Höchstes CO₂ der Schule',
      size: size(4, 340),
      chartOptions: {
        kind: 'gauge',
        stateIds: [find('Grundschule am Park', 'co2_max')],
        min: 400,
        max: 2000,
        lowerThreshold: 1000,
        upperThreshold: 1500,
      },
    },
    {
      type: 'chart',
      title: 'Temperaturen im Rathaus',
      size: size(6),
      chartOptions: {
        kind: 'line',
        stateIds: ['Foyer', 'Bürgerbüro', 'Ratssaal', 'Serverraum'].map((room) => find(room, 'temperature')),
      },
    },
    {
      type: 'twin-table',
      title: 'Räume',
      size: size(6),
      twinTableOptions: {
        twinIds: [...classRooms, 'Bürgerbüro', 'Ratssaal', 'Foyer', 'Büro 1.01'].map(twin),
        stateKeys: ['temperature', 'humidity', 'co2'],
      },
    },
  ]
  const streets: Definition[] = [
    {
      type: 'value',
      title: 'Jetzt',
      size: size(12, 150),
      valueOptions: {
        stateIds: [
          find('Stadtpark', 'temperature'),
          find('Stadtpark', 'wind_speed'),
          find('Marktplatz', 'occupied'),
          find('Bahnhofstraße', 'pm2_5'),
          find('Stadtpark', 'soil_moisture'),
        ],
      },
    },
    {
      type: 'twin-map',
      title: 'Straßen und Plätze',
      size: size(7, 380),
      twinMapOptions: {
        twinIds: [
          'Marktplatz',
          'Wertstoffinsel Marktplatz',
          'Bahnhofstraße',
          'Ringstraße',
          'Mühlbach',
          'Stadtpark',
        ].map(twin),
      },
    },
    {
      type: 'chart',
      title: 'Belegte Stellplätze am Marktplatz',
      size: size(5, 380),
      chartOptions: {
        kind: 'gauge',
        stateIds: [find('Marktplatz', 'occupied')],
        min: 0,
        max: 6,
        lowerThreshold: 4,
        upperThreshold: 5,
      },
    },
    {
      type: 'chart',
      title: 'Feinstaub',
      size: size(6),
      chartOptions: {
        kind: 'bar',
        stateIds: [find('Bahnhofstraße', 'pm2_5'), find('Ringstraße', 'pm2_5')],
        duration: '1h',
        thresholds: [{ value: 25, label: 'Grenzwert' }],
      },
    },
    {
      type: 'chart',
      title: 'Wetter im Stadtpark',
      size: size(6),
      chartOptions: {
        kind: 'line',
        stateIds: [find('Stadtpark', 'temperature'), find('Stadtpark', 'wind_speed')],
        area: true,
      },
    },
  ]
  return [
    { name: 'Raumklima', description: 'Rathaus und Grundschule', widgets: climate as WidgetDefinition[] },
    {
      name: 'Straßen und Umwelt',
      description: 'Parken, Luft, Wetter, Grünflächen',
      widgets: streets as WidgetDefinition[],
    },
  ]
}

interface RuleSpec {
  twin: string
  title: string
  metrics: { alias: string; stateId: number; operation?: 'latest' | 'avg'; lastMinutes?: number }[]
  conditions: Condition
  throttleHours: number
  actions: RuleAction[]
}

/** The three rules of the demo city. */
export function rules(find: Find): RuleSpec[] {
  const above = (metric: string, value: number): Condition => ({
    op: 'gt',
    left: { metric },
    right: { value },
  })
  return [
    {
      twin: 'Wertstoffinsel Marktplatz',
      title: 'Container voll',
      throttleHours: 0,
      metrics: [
        { alias: 'glas', stateId: find('Wertstoffinsel Marktplatz', 'glass') },
        { alias: 'papier', stateId: find('Wertstoffinsel Marktplatz', 'paper') },
      ],
      conditions: { op: 'or', conditions: [above('glas', 85), above('papier', 85)] },
      actions: [
        {
          kind: 'alarm',
          severity: 'error',
          message: 'Ein Container ist voll: Glas {{glas}} %, Papier {{papier}} %',
        },
      ],
    },
    {
      twin: 'Klasse 1a',
      title: 'Bitte lüften',
      throttleHours: 1,
      metrics: [{ alias: 'co2', stateId: find('Klasse 1a', 'co2'), operation: 'avg', lastMinutes: 15 }],
      conditions: above('co2', 1000),
      actions: [
        { kind: 'alarm', severity: 'warning', message: 'CO₂ im Mittel bei {{co2}} ppm' },
        {
          kind: 'email',
          recipients: ['hausmeister@sonnenhausen.example'],
          subject: 'Bitte lüften: {{twin.title}}',
          body: 'In {{twin.title}} liegt das CO₂ im Mittel der letzten 15 Minuten bei {{co2}} ppm ({{time}}).',
        },
      ],
    },
    {
      twin: 'Serverraum',
      title: 'Serverraum zu warm',
      throttleHours: 0.5,
      metrics: [{ alias: 'temperatur', stateId: find('Serverraum', 'temperature') }],
      conditions: {
        op: 'and',
        conditions: [
          above('temperatur', 24.8),
          { op: 'lt', left: { metric: 'temperatur' }, right: { value: 60 } },
        ],
      },
      actions: [
        {
          kind: 'email',
          recipients: ['technik@sonnenhausen.example'],
          subject: 'Serverraum: {{temperatur}} °C',
          body: 'Der Serverraum im Rathaus ist {{temperatur}} °C warm ({{time}}).',
        },
      ],
    },
  ]
}
