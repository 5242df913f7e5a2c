import { useState } from 'preact/hooks';
import { RollgateError } from 'rollgate/client';
import { gateway, type Schema, useData, hasRole, Button } from '../ui.ts';
import { itemsIn } from '../custom-values.ts';
import { Badge } from './badges.tsx';
import { Copyable } from './copy.tsx';
import { ConfirmButton, FormDialog } from './dialog.tsx';
import { CheckField, TextField, useFields } from './fields.tsx';
import { Async, Section } from './page.tsx';
import { showToast } from './toasts.tsx';

type Attribute = Schema<'CustomAttribute'>;
type Extension = Schema<'SchemaExtension'>;

const PATH = '/admin/v1/tenants/{slug}/schema-extension';

const TYPES: readonly Attribute['type'][] = [
  'string',
  'boolean',
  'integer',
  'decimal',
  'dateTime',
  'reference',
];

/** Declares an attribute, or changes its declaration. */
const EditAttribute = ({
  attribute,
  onSave,
  onClose,
}: {
  readonly attribute?: Attribute;
  readonly onSave: (attribute: Attribute) => Promise<void>;
  readonly onClose: () => void;
}) => {
  const { values, field } = useFields(() => ({
    name: attribute?.name ?? '',
    type: attribute?.type ?? ('string' as const),
    isList: attribute?.multi_valued ?? false,
    isRequired: attribute?.required ?? false,
    isExact: attribute?.case_exact ?? false,
    allowed: attribute?.canonical_values?.join(', ') ?? '',
    description: attribute?.description ?? '',
  }));
  const { name, type, isList, isRequired, isExact, allowed, description } = values;
  const items = itemsIn(allowed);
  return (
    <FormDialog
      title={attribute ? `Edit ${attribute.name}` : 'Add attribute'}
      action={attribute ? 'Save changes' : 'Add attribute'}
      onClose={onClose}
      onSubmit={async () => {
        await onSave({
          name,
          type,
          multi_valued: isList,
          required: isRequired,
          case_exact: isExact,
          canonical_values: type === 'string' && items.length > 0 ? [...items] : null,
          description,
        });
        onClose();
      }}
    >
      {!attribute && (
        <TextField
          label="Name"
          hint="Letters, digits, _ and -, such as costCenter."
          required
          maxLength={64}
          {...field('name')}
        />
      )}
      <label>
        Type
        <select
          value={type}
          onChange={(event) =>
            field('type').onChange(event.currentTarget.value as Attribute['type'])
          }
        >
          {TYPES.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
        {attribute && <small>Values that do not have a new type are hidden.</small>}
      </label>
      {type === 'string' && (
        <TextField
          label="Allowed values"
          hint="Separated by commas. Empty: any text."
          {...field('allowed')}
        />
      )}
      <TextField label="Description" maxLength={256} {...field('description')} />
      <CheckField label="Several values" {...field('isList')} />
      <CheckField label="Required for new users" {...field('isRequired')} />
      <CheckField label="Case matters in filters" {...field('isExact')} />
    </FormDialog>
  );
};

/** The attributes of users that a tenant declares. */
export const CustomAttributes = ({ slug }: { readonly slug: string }) => {
  const read = useData(PATH, { path: { slug } });
  const [edited, setEdited] = useState<Attribute | 'new'>();
  const mayEdit = hasRole('admin');
  /** Replaces the whole declaration, but only the one that is shown. */
  const save = async (shown: Extension, attributes: readonly Attribute[], done: string) => {
    const path = { slug };
    const { data: current, etag } = await gateway.request('get', PATH, { path });
    if (JSON.stringify(current.attributes) !== JSON.stringify(shown.attributes)) {
      read.reload();
      throw new RollgateError({
        code: 'PRECONDITION_FAILED',
        message: 'Another operator has changed the attributes. Check the list, then save again.',
      });
    }
    const body = { attributes: [...attributes] };
    await gateway.put(PATH, { path, body, ...(etag !== undefined && { ifMatch: etag }) });
    showToast(done);
    read.reload();
  };
  const saveOne = (shown: Extension, attribute: Attribute) =>
    edited === 'new' || !shown.attributes.some(({ name }) => name === attribute.name)
      ? save(shown, [...shown.attributes, attribute], `Added ${attribute.name}`)
      : save(
          shown,
          shown.attributes.map((each) => (each.name === attribute.name ? attribute : each)),
          `Saved ${attribute.name}`,
        );
  return (
    <Section
      title="User attributes"
      lead="What your users have beyond the attributes of SCIM. Identity providers send them under the URN below."
      actions={
        mayEdit && (
          <Button
            icon="plus"
            label="Add attribute"
            class="secondary small"
            disabled={!read.data}
            onClick={() => setEdited('new')}
          />
        )
      }
    >
      <Async of={read} lines={2}>
        {(extension) => (
          <>
            {extension.attributes.length === 0 ? (
              <p class="quiet">No attributes.</p>
            ) : (
              <ul class="rows">
                {extension.attributes.map((attribute) => (
                  <li key={attribute.name}>
                    <span>
                      {attribute.name}
                      {attribute.description !== '' && <small>{attribute.description}</small>}
                    </span>
                    <Badge>
                      {attribute.multi_valued ? `${attribute.type} list` : attribute.type}
                    </Badge>
                    {attribute.required && <Badge tone="accent">required</Badge>}
                    {mayEdit && (
                      <>
                        <Button
                          label="Edit"
                          class="secondary small"
                          aria-label={`Edit ${attribute.name}`}
                          onClick={() => setEdited(attribute)}
                        />
                        <ConfirmButton
                          label="Remove"
                          look="secondary small danger-text"
                          about={`Remove ${attribute.name}`}
                          title={`Remove ${attribute.name}?`}
                          action={`Remove attribute ${attribute.name}`}
                          onConfirm={() =>
                            save(
                              extension,
                              extension.attributes.filter(({ name }) => name !== attribute.name),
                              `Removed ${attribute.name}`,
                            )
                          }
                        >
                          <p>
                            Its values are hidden at once, and deleted with the next change of each
                            user.
                          </p>
                        </ConfirmButton>
                      </>
                    )}
                  </li>
                ))}
              </ul>
            )}
            <Copyable text={extension.urn} what="the URN" />
            {edited !== undefined && (
              <EditAttribute
                {...(edited !== 'new' && { attribute: edited })}
                onSave={(attribute) => saveOne(extension, attribute)}
                onClose={() => setEdited(undefined)}
              />
            )}
          </>
        )}
      </Async>
    </Section>
  );
};
