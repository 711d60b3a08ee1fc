//! The columns for the values of a message: a shape with a column for each leaf.

use super::column::{Column, Leaf};
use super::shape::{Member, Shape};
use crate::codec::layout::Field;
use crate::codec::{Node, Sources, Tree};
use parquet::basic::{LogicalType, Repetition};
use parquet::errors::Result;
use parquet::schema::types::{Type, TypePtr};
use std::cell::Cell;
use std::ops::Range;
use std::sync::Arc;

/// The columns of a value.
#[derive(Debug)]
pub enum Plan {
    /// One column.
    Leaf(Leaf, usize),
    /// A list of names in one column.
    Flags(List, usize),
    /// Members by name.
    Group(Group),
    /// A list with a plan for its elements.
    List(List, Box<Plan>),
}

/// The members of a group, and all their columns.
#[derive(Debug)]
pub struct Group {
    /// In the order of the table.
    pub members: Vec<Place>,
    /// All columns below.
    pub columns: Range<usize>,
}

/// A member's name and columns.
#[derive(Debug)]
pub struct Place {
    name: String,
    /// The columns of its value.
    pub plan: Plan,
    /// The field that was found here last. Comparing it is cheaper than comparing its name.
    field: Cell<Option<&'static Field>>,
}

impl Group {
    /// Returns the index of a node's member, by its name. `next` is tried first, since most nodes are in the order of
    /// the table.
    pub fn find(&self, tree: &Tree, node: &Node, sources: Sources<'_>, next: usize) -> Option<usize> {
        let named = !tree.name_from_traffic(node);
        if let Some(place) = self.members.get(next)
            && named
            && place.field.get().is_some_and(|field| std::ptr::eq(field, node.field))
        {
            return Some(next);
        }
        let name = tree.name(node, sources);
        let is = |k: &usize| self.members[*k].name == name;
        let found = (next..self.members.len()).find(is).or_else(|| (0..next).find(is))?;
        if named {
            self.members[found].field.set(Some(node.field));
        }
        Some(found)
    }
}

/// A list's columns, and its repetition level.
#[derive(Clone, Debug)]
pub struct List {
    /// All columns below.
    pub columns: Range<usize>,
    /// The repetition level of its second and further elements.
    pub level: i16,
}

impl Plan {
    /// Returns all columns of the value.
    pub fn columns(&self) -> Range<usize> {
        match self {
            Plan::Leaf(_, column) => *column..*column + 1,
            Plan::Flags(list, _) | Plan::List(list, _) => list.columns.clone(),
            Plan::Group(group) => group.columns.clone(),
        }
    }
}

/// Makes columns.
#[derive(Debug, Default)]
pub struct Builder {
    /// All columns so far, in the order of the file.
    pub columns: Vec<Column>,
    /// The number of lists around the next one.
    lists: i16,
}

impl Builder {
    /// Adds a column or group of this name, which is optional.
    ///
    /// # Errors
    /// Fails if the library rejects the type.
    pub fn member(&mut self, name: &str, shape: &Shape) -> Result<(TypePtr, Plan)> {
        match shape {
            Shape::Group(members) => {
                let (types, group) = self.group(members)?;
                Ok((grouped(name, Repetition::OPTIONAL, types)?, Plan::Group(group)))
            }
            Shape::List(of) => {
                let (ptr, plan, list) = self.list(name, of)?;
                Ok((ptr, Plan::List(list, Box::new(plan))))
            }
            Shape::Flags => {
                let (ptr, _, list) = self.list(name, &Shape::Text)?;
                let column = list.columns.start;
                Ok((ptr, Plan::Flags(list, column)))
            }
            Shape::Number { min, max } if *min >= i64::MIN as i128 && *max <= i64::MAX as i128 => {
                self.leaf(name, Leaf::Int)
            }
            Shape::Number { min: 0.., max } if *max <= u64::MAX as i128 => self.leaf(name, Leaf::UInt),
            Shape::F32 => self.leaf(name, Leaf::F32),
            Shape::F64 => self.leaf(name, Leaf::F64),
            Shape::Bool => self.leaf(name, Leaf::Bool),
            Shape::Text => self.leaf(name, Leaf::Text),
            Shape::Bytes => self.leaf(name, Leaf::Bytes),
            Shape::Json | Shape::Number { .. } => self.leaf(name, Leaf::Json),
        }
    }

    /// Adds one column.
    ///
    /// # Errors
    /// Fails if the library rejects the type.
    pub fn leaf(&mut self, name: &str, leaf: Leaf) -> Result<(TypePtr, Plan)> {
        self.columns.push(Column::new(leaf, self.lists > 0));
        Ok((leaf.parquet(name)?, Plan::Leaf(leaf, self.columns.len() - 1)))
    }

    /// Adds the columns of a group's members.
    ///
    /// # Errors
    /// Fails if the library rejects a type.
    pub fn group(&mut self, members: &[Member]) -> Result<(Vec<TypePtr>, Group)> {
        let first = self.columns.len();
        let (mut types, mut plans) = (Vec::new(), Vec::new());
        for member in members {
            let (ptr, plan) = self.member(&member.name, &member.shape)?;
            types.push(ptr);
            plans.push(Place { name: member.name.clone(), plan, field: Cell::new(None) });
        }
        Ok((types, Group { members: plans, columns: first..self.columns.len() }))
    }

    fn list(&mut self, name: &str, of: &Shape) -> Result<(TypePtr, Plan, List)> {
        let first = self.columns.len();
        self.lists += 1;
        let level = self.lists;
        let (element, plan) = self.member("element", of)?;
        self.lists -= 1;
        let repeated = grouped("list", Repetition::REPEATED, vec![element])?;
        let list = Type::group_type_builder(name)
            .with_repetition(Repetition::OPTIONAL)
            .with_logical_type(Some(LogicalType::List))
            .with_fields(vec![repeated]);
        Ok((Arc::new(list.build()?), plan, List { columns: first..self.columns.len(), level }))
    }
}

/// Creates the type of a group of columns.
///
/// # Errors
/// Fails if the library rejects it.
pub fn grouped(name: &str, repetition: Repetition, fields: Vec<TypePtr>) -> Result<TypePtr> {
    Ok(Arc::new(Type::group_type_builder(name).with_repetition(repetition).with_fields(fields).build()?))
}
